"""Finds the places of changes in a text and makes them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import repeat, takewhile
from typing import Protocol

from assay.benchmarks.code_catalogue.answers.answer import Repair
from assay.benchmarks.code_catalogue.answers.limits import WorkLimit
from assay.benchmarks.code_catalogue.answers.line_endings import is_crlf

_SHOWN = 80
# Compared to copying a character.
_COST_OF_A_LINE = 10


class HunkError(Exception):
    """A hunk has no place in the text, or, if its header does not say which, several."""

    def __init__(self, number: int, places: int, reason: str) -> None:
        super().__init__(reason)
        self.number = number
        self.places = places
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines of a diff with their ends, each after its mark: a space, `-` or `+`."""

    body: Sequence[str]
    start: int | None = None
    """The line that the header names: the first one, or the one before if the hunk only adds lines."""

    @property
    def old(self) -> list[str]:
        return [line[1:] for line in self.body if line[0] != "+"]

    @property
    def new(self) -> list[str]:
        return [line[1:] for line in self.body if line[0] != "-"]

    def only_adds(self) -> bool:
        return all(line[0] == "+" for line in self.body)

    def removes_nothing(self) -> bool:
        return all(line[0] != "-" for line in self.body)


class Finder(Protocol):
    def places(self, wanted: list[str], *, near: int | None, after: int) -> list[int]:
        """Indexes from `after` on at which these lines stand, the best first."""
        ...


FinderFactory = Callable[[list[str], WorkLimit], Finder]


class ExactFinder:
    """The lines as they are; the nearest place first and, of two equally near, the later one."""

    def __init__(self, lines: list[str], work: WorkLimit) -> None:
        self._lines = lines
        self._work = work
        self._indexes: dict[str, list[int]] | None = None

    def places(self, wanted: list[str], *, near: int | None, after: int) -> list[int]:
        if not wanted:
            return self._places_of_nothing(near, after)
        if near is not None and near >= after and self._stands_at(near, wanted):
            return [near]
        found = [at for at in self._candidates(wanted) if at >= after and self._stands_at(at, wanted)]
        return found if near is None else sorted(found, key=lambda at: (abs(at - near), at < near))

    def _places_of_nothing(self, near: int | None, after: int) -> list[int]:
        if not self._lines:
            return [0]
        return [near] if near is not None and after <= near <= len(self._lines) else []

    def _stands_at(self, at: int, wanted: list[str]) -> bool:
        return self._lines[at : at + len(wanted)] == wanted

    def _candidates(self, wanted: list[str]) -> list[int]:
        """Where the lines can begin, by the rarest of them."""
        if self._indexes is None:
            self._indexes = {}
            self._work.spend(sum(map(len, self._lines)))
            for index, line in enumerate(self._lines):
                self._indexes.setdefault(line, []).append(index)
        indexes = self._indexes
        rarest = min(range(len(wanted)), key=lambda offset: len(indexes.get(wanted[offset], ())))
        found = indexes.get(wanted[rarest], [])
        self._work.spend(len(found) * sum(map(len, wanted)))
        return [index - rarest for index in found]


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    lines: list[str]


def lines_of(text: str) -> list[str]:
    """The lines with their ends; `str.splitlines` ends them at other characters too."""
    return list(StringIO(text, newline="\n"))


def apply_hunks(
    text: str, hunks: Sequence[Hunk], work: WorkLimit, finder: FinderFactory = ExactFinder
) -> tuple[str, set[Repair]]:
    """The changed text, and what had to be put right; raises HunkError.

    A text whose lines all end alike keeps its line endings if the hunks use the other kind.
    """
    body = "".join(line for hunk in hunks for line in hunk.body)
    if is_crlf(text) and "\r\n" not in body:
        changed, repairs = _with_any_end(text.replace("\r\n", "\n"), hunks, work, finder)
        return changed.replace("\n", "\r\n"), {*repairs, Repair.LINE_ENDINGS}
    if "\n" in text and "\r" not in text and is_crlf(body):
        hunks = [Hunk([line.replace("\r\n", "\n") for line in hunk.body], hunk.start) for hunk in hunks]
        changed, repairs = _with_any_end(text, hunks, work, finder)
        return changed, {*repairs, Repair.LINE_ENDINGS}
    return _with_any_end(text, hunks, work, finder)


def _with_any_end(
    text: str, hunks: Sequence[Hunk], work: WorkLimit, finder: FinderFactory
) -> tuple[str, set[Repair]]:
    """If the hunks are wrong about the newline at the end of the file, it gets one."""
    try:
        return _Patching(text, work, finder).result(hunks)
    except HunkError:
        ended_text = _ended(text) if text else text
        ended_hunks = [Hunk([_ended(line) for line in hunk.body], hunk.start) for hunk in hunks]
        if ended_text == text and ended_hunks == list(hunks):
            raise
        changed, repairs = _Patching(ended_text, work, finder).result(ended_hunks)
        return changed, {*repairs, Repair.FINAL_NEWLINE}


def _ended(line: str) -> str:
    return line if line.endswith("\n") else f"{line}\n"


class _Patching:
    """Hunks are placed in the order of the diff, each after the changes of the one before."""

    def __init__(self, text: str, work: WorkLimit, finder: FinderFactory) -> None:
        work.spend(len(text) + _COST_OF_A_LINE * text.count("\n"))
        self._lines = lines_of(text)
        self._finder = finder(self._lines, work)
        self._edits: list[_Edit] = []
        self._shift = 0
        self._repairs: set[Repair] = set()

    def result(self, hunks: Sequence[Hunk]) -> tuple[str, set[Repair]]:
        for number, hunk in enumerate(hunks, start=1):
            self._edits.append(self._edit(hunk, self._place(number, hunk)))
        lines: list[str] = []
        position = 0
        for edit in self._edits:
            lines += self._lines[position : edit.start]
            lines += edit.lines
            position = edit.end
        lines += self._lines[position:]
        return "".join([*map(_ended, lines[:-1]), *lines[-1:]]), self._repairs

    def _place(self, number: int, hunk: Hunk) -> int:
        old = hunk.old
        after = self._edits[-1].end if self._edits else 0
        if hunk.start is None:
            places = self._finder.places(old, near=None, after=after)
            if len(places) != 1:
                raise HunkError(number, len(places), f"matches {len(places)} places and names no line")
            return places[0]
        expected = hunk.start - 1 if old else hunk.start
        places = self._finder.places(old, near=expected + self._shift, after=after)
        if not places:
            raise HunkError(number, 0, self._mismatch(old, expected + self._shift))
        if places[0] != expected:
            self._repairs.add(Repair.HUNK_POSITION)
        self._shift = places[0] - expected
        return places[0]

    def _mismatch(self, old: list[str], expected: int) -> str:
        """Where the hunk and the file first differ, at the place that the header names."""
        found = [*self._lines[max(expected, 0) :][: len(old)], *repeat("", len(old))]
        for at, (line, other) in enumerate(zip(old, found, strict=False), start=max(expected, 0) + 1):
            if line != other:
                has = _shown(other) if other else f"only {len(self._lines)} lines"
                return f"does not match the file at line {at}: it expects {_shown(line)}, the file has {has}"
        return f"has no place at line {expected + 1}, after the hunk before it"

    def _edit(self, hunk: Hunk, at: int) -> _Edit:
        """Without the context around the change, which the next hunk may share."""
        leading = sum(1 for _ in takewhile(_is_context, hunk.body))
        trailing = sum(1 for _ in takewhile(_is_context, reversed(hunk.body[leading:])))
        lines: list[str] = []
        end = at + leading
        for line in hunk.body[leading : len(hunk.body) - trailing]:
            if line[0] == "+":
                lines.append(line[1:])
                continue
            if line[0] == " ":
                lines.append(self._lines[end])
            end += 1
        return _Edit(at + leading, end, lines)


def _shown(line: str) -> str:
    return repr(line.removesuffix("\n")[:_SHOWN])


def _is_context(line: str) -> bool:
    return line[0] == " "
