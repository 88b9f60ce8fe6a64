"""Answers that replace pieces of files.

src/main.py
<<<<<<< SEARCH
lines as they are
=======
lines as they are to be
>>>>>>> REPLACE
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.benchmarks.code_catalogue.answers.answer import AnswerError, Repair
from assay.benchmarks.code_catalogue.answers.fences import info_of
from assay.benchmarks.code_catalogue.answers.hunks import Hunk, HunkError, apply_hunks
from assay.benchmarks.code_catalogue.answers.naming import path_in_info, path_on_line
from assay.benchmarks.code_catalogue.answers.workspace import EditedWorkspace

_SEARCH = "<<<<<<< SEARCH"
_DIVIDER = "======="
_REPLACE = ">>>>>>> REPLACE"


def has_search_block(lines: Sequence[str]) -> bool:
    return any(line.rstrip() == _SEARCH for line in lines)


def apply_search_replace(lines: Sequence[str], workspace: EditedWorkspace) -> None:
    """Applies the blocks in their order; raises AnswerError."""
    named: str | None = None
    for number, block in enumerate(_blocks(lines), start=1):
        # Several blocks of one file often stand below each other, with one path above.
        named = _path_before(lines, block.start, workspace) or named
        if named is None:
            raise AnswerError(
                f"search/replace block {number} names no file: write its path on the line before"
            )
        path = workspace.path_of(named)
        if not workspace.ignores(path):
            _apply(block, number, path, workspace)


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    search: Sequence[str]
    replacement: Sequence[str]


def _blocks(lines: Sequence[str]) -> Iterator[_Block]:
    at = 0
    while at < len(lines):
        if lines[at].rstrip() == _SEARCH:
            divider = _next(_DIVIDER, lines, at, block=at)
            end = _next(_REPLACE, lines, divider, block=at)
            yield _Block(at, lines[at + 1 : divider], lines[divider + 1 : end])
            at = end
        at += 1


def _next(marker: str, lines: Sequence[str], start: int, *, block: int) -> int:
    for at in range(start + 1, len(lines)):
        if lines[at].rstrip() == marker:
            return at
        if lines[at].rstrip() == _SEARCH:
            break
    raise AnswerError(f"the search/replace block in line {block + 1} of the reply is not complete")


def _path_before(lines: Sequence[str], start: int, workspace: EditedWorkspace) -> str | None:
    """On the line before the block or, if it is the first in a code block, before that."""
    at = start - 1
    while at >= 0:
        line = lines[at].strip()
        info = info_of(line)
        if info:
            path = path_in_info(info, workspace)
            if path:
                return path
        elif info is None and line:
            return path_on_line(line, workspace)
        at -= 1
    return None


def _apply(block: _Block, number: int, path: str, workspace: EditedWorkspace) -> None:
    before = workspace.read(path)
    if before is None and block.search:
        raise AnswerError(f"search/replace block {number} searches in {path}, which is not in the workspace")
    if before and not block.search:
        raise AnswerError(f"search/replace block {number} searches for nothing, but {path} exists")
    hunk = Hunk([*(f"-{line}\n" for line in block.search), *(f"+{line}\n" for line in block.replacement)])
    try:
        after, repairs = apply_hunks(before or "", [hunk], workspace.work)
    except HunkError as error:
        raise AnswerError(
            f"the search text of block {number} occurs {error.places} times in {path}; it has to occur once"
        ) from error
    # A block says nothing about the end of the file.
    workspace.repairs.update(repairs - {Repair.FINAL_NEWLINE})
    workspace.write(path, after)
