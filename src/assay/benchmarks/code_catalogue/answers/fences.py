"""Splits a reply into code blocks and the text around them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.benchmarks.code_catalogue.answers.unified_diff import starts_diff

_OPENING = re.compile(r"(?P<indent>[ \t]*)(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)")


@dataclass(frozen=True, slots=True)
class Fence:
    """A code block."""

    info: str
    """What follows the marks in its first line."""
    before: str
    """The last line with text before it, empty if that is another code block."""
    lines: list[str]
    line_number: int
    """Of its first line in the reply, from 1."""
    is_closed: bool

    @property
    def label(self) -> str:
        return re.split(r"[\s:]", self.info, maxsplit=1)[0].lower()


@dataclass(frozen=True, slots=True)
class Blocks:
    fences: list[Fence]
    unfenced_diff: list[str]
    """The end of the reply, from where a diff begins outside of code blocks."""


def blocks_of(lines: Sequence[str]) -> Blocks:
    fences: list[Fence] = []
    before = ""
    at = 0
    while at < len(lines):
        if starts_diff(lines, at):
            return Blocks(fences, list(lines[at:]))
        opening = _OPENING.fullmatch(lines[at].rstrip())
        if opening:
            fence = _fence(lines, at, opening, before)
            fences.append(fence)
            before = ""
            at += len(fence.lines) + 2
            continue
        before = lines[at].strip() or before
        at += 1
    return Blocks(fences, [])


def info_of(line: str) -> str | None:
    """What follows the marks, if the line can open a code block."""
    opening = _OPENING.fullmatch(line.rstrip())
    return opening["info"].strip() if opening else None


def _fence(lines: Sequence[str], at: int, opening: re.Match[str], before: str) -> Fence:
    """The block as CommonMark defines it, except that its end has the indent of its beginning.

    So a line of context in a diff does not end the block: it begins with a space.
    """
    indent, marks = len(opening["indent"]), opening["marks"]
    content: list[str] = []
    is_closed = False
    for index in range(at + 1, len(lines)):
        line = _outdented(lines[index], indent)
        if line.startswith(marks) and not line.rstrip().strip(marks[0]):
            is_closed = True
            break
        content.append(line)
    return Fence(opening["info"].strip(), before, content, at + 1, is_closed)


def _outdented(line: str, most: int) -> str:
    blanks = len(line) - len(line.lstrip(" \t")) if most else 0
    return line[min(blanks, most) :]
