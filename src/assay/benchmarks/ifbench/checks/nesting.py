from collections import defaultdict, deque
from itertools import islice, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from assay.engine.graders.english.code_points import runs_of
from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments

_LEAST_BRACKETS, _LEAST_QUOTES = 5, 3
_CLOSER_OF = {"(": ")", "[": "]", "{": "}"}
_BRACKETS = "([{)]}"
_ALL_BUT_BRACKETS = bytes(code for code in range(256) if chr(code) not in _BRACKETS)
_ALL_BUT_QUOTES = bytes(code for code in range(256) if chr(code) not in "\"'")
# Brackets of one kind add up to zero, and no others that follow one another do.
_AS_NUMBERS = bytes.maketrans(_BRACKETS.encode("ascii"), np.array([1, 2, 4, -1, -2, -4], np.int8).tobytes())
_BY_SIGN = {0: "", 1: "(", 2: "[", 4: "{", -1: ")", -2: "]", -4: "}"}
_NESTED = "((((()"
_FEW, _BLOCK = 1_000, 50_000

Signs: TypeAlias = NDArray[np.int8]


def parentheses(answer: Answer, _arguments: Arguments) -> bool:
    """Five brackets open at once, and one of them closed; a bracket that closes none starts all over."""
    return five_nested("".join(answer.facts_whatever_stars(_brackets)))


def quotes(answer: Answer, _arguments: Arguments) -> bool:
    """Three levels closed since the deepest; the deepest is never forgotten."""
    walk = _Walk()
    for line in answer.starred:
        walk = line.fact(_walked, walk)
    return walk.is_done


def five_nested(brackets: str) -> bool:
    opened: list[str] = []
    for bracket in brackets:
        if bracket in _CLOSER_OF:
            opened.append(_CLOSER_OF[bracket])
        elif not opened or opened[-1] != bracket:
            opened.clear()
        elif len(opened) >= _LEAST_BRACKETS:
            return True
        else:
            opened.pop()
    return False


class _Walk(NamedTuple):
    """Where quotes lead to: a level further for one that opens it, back for one that closes it.

    A quote closes the level that one like it opened last, so those that are open take turns: levels lie on
    a line, to either side of none, whichever kind is outermost. Each quote leads from an even level to an odd
    one or back; single ones lead to the right from even levels, and double ones from odd ones.
    """

    level: int = 0
    deepest: int = 0
    is_done: bool = False


def _walked(text: str, walk: _Walk) -> _Walk:
    quoted = text.encode("ascii", "replace").translate(None, delete=_ALL_BUT_QUOTES)
    for start in range(0, len(quoted), _BLOCK):
        if walk.is_done:
            break
        walk = _further(walk, quoted[start : start + _BLOCK])
    return walk


def _further(walk: _Walk, quoted: bytes) -> _Walk:
    steps = np.where(np.frombuffer(quoted, np.uint8) == ord("'"), np.int8(1), np.int8(-1))
    steps[1 - walk.level % 2 :: 2] *= -1
    levels = walk.level + np.cumsum(steps, dtype=np.int32)
    depths = np.append(walk.deepest, np.abs(levels))
    deepest = np.maximum.accumulate(depths)
    is_done = bool((deepest - depths).max() >= _LEAST_QUOTES)
    return _Walk(int(levels[-1]), int(deepest[-1]), is_done)


def _brackets(text: str) -> str:
    """Brackets that, whatever stands around them, are as deep as those of the text."""
    found = text.encode("ascii", "replace").translate(None, delete=_ALL_BUT_BRACKETS)
    few = found[:_FEW].decode("ascii")
    return _NESTED if five_nested(few) else few if len(found) <= _FEW else _fewer(found)


def _fewer(brackets: bytes) -> str:
    """Takes out groups that are closed, the innermost first; the bracket before them keeps their levels."""
    # A mark of no kind stands for what is before the first.
    signs = np.frombuffer(b"\0" + brackets.translate(_AS_NUMBERS), np.int8)
    levels = np.zeros(len(signs), np.int8)
    for level in range(1, _LEAST_BRACKETS):
        closed = np.flatnonzero((signs[:-1] > 0) & (signs[:-1] + signs[1:] == 0))
        if not closed.size:
            break
        levels[closed] = level
        are_left = np.ones(len(signs), np.bool_)
        are_left[closed] = are_left[closed + 1] = False
        left = np.flatnonzero(are_left)
        signs, levels = signs[left], np.maximum.reduceat(levels, left)
    return _NESTED if _is_nested(signs, levels) else _outermost(signs, levels)


def _is_nested(signs: Signs, levels: Signs) -> bool:
    """Whether there are still groups to close within others, or enough levels in brackets that stay open."""
    places = np.arange(len(signs))
    depths = places - np.maximum.accumulate(np.where(signs > 0, 0, places))
    return bool(
        ((signs[:-1] > 0) & (signs[:-1] + signs[1:] == 0)).any()
        or ((levels > 0) & (depths + levels >= _LEAST_BRACKETS)).any()
    )


def _outermost(signs: Signs, levels: Signs) -> str:
    """Those that may close what is open before the text, or be closed after it.

    Where five are open it makes no difference how many more are. What closes none of the first that open is
    kept as well: it starts all over.
    """
    starts, ends = runs_of(signs > 0)
    first = int(starts[0]) if len(starts) else len(signs)
    kept = set(range(min(first, _LEAST_BRACKETS + 1)))
    if len(starts):
        end = int(ends[0])
        kept.update(range(first, min(first + _LEAST_BRACKETS, end)))
        kept.update(range(max(first, end - _LEAST_BRACKETS), min(end + 1, len(signs))))
        if ends[-1] == len(signs):
            kept.update(range(max(int(starts[-1]), len(signs) - _LEAST_BRACKETS), len(signs)))
    outermost = ((_BY_SIGN[int(signs[place])], int(levels[place])) for place in sorted(kept))
    return "".join(bracket + "(" * level + ")" * level for bracket, level in outermost)


def line_indent(answer: Answer, _arguments: Arguments) -> bool:
    # Of n lines at least (n - 1) // 2 stay, and indents that grow take that many blanks and more.
    least_lines = answer.text.count("\n") // 2
    if least_lines * (least_lines - 1) // 2 > len(answer.text):
        return False
    # Indents grow from line to line within each part of the answer, but for one that has lost white space.
    if not all(answer.facts(_grow)):
        return False
    indents = (len(line) - len(line.lstrip(" ")) for line in _stairs(answer.text.split("\n")))
    return all(lower < higher for lower, higher in pairwise(indents))


def _grow(text: str) -> bool:
    """Whether the indents do of the lines that are not blank, but for the first."""
    lines = islice(text.split("\n"), 1, None)
    indents = (len(line) - len(line.lstrip(" ")) for line in lines if line and not line.isspace())
    return all(lower < higher for lower, higher in pairwise(indents))


def _stairs(lines: list[str]) -> list[str]:
    """The lines without the blank ones that the official scorer removes.

    It removes from the list that it walks over: after each blank line the next one is passed by, and of equal
    blank lines the first goes, whichever was met.
    """
    met: dict[str, deque[int]] = defaultdict(deque)
    removed: set[int] = set()
    passed_by = False
    for index, line in enumerate(lines):
        is_blank = not line or line.isspace()
        if is_blank:
            met[line].append(index)
        if not passed_by and is_blank:
            removed.add(met[line].popleft())
            passed_by = True
        else:
            passed_by = False
    return [line for index, line in enumerate(lines) if index not in removed]
