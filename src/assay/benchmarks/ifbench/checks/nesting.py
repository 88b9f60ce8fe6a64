from collections import defaultdict, deque
from itertools import pairwise

from assay.engine.graders.instructions.arguments import Arguments

_PAIRS = {")": "(", "]": "[", "}": "{"}
_LEAST_BRACKETS = 5
_LEAST_QUOTES = 3


def parentheses(response: str, _arguments: Arguments) -> bool:
    """Five brackets open at once, and one of them closed; a bracket that closes none starts all over."""
    opened: list[str] = []
    deepest = 0
    for character in response:
        if character in "([{":
            opened.append(character)
            deepest = max(deepest, len(opened))
        elif character in _PAIRS:
            if not opened or opened[-1] != _PAIRS[character]:
                opened, deepest = [], 0
                continue
            opened.pop()
            if deepest >= _LEAST_BRACKETS:
                return True
    return False


def quotes(response: str, _arguments: Arguments) -> bool:
    """Three levels closed since the deepest; the deepest is never forgotten."""
    opened: list[str] = []
    deepest = 0
    for character in response:
        if opened and character == opened[-1]:
            opened.pop()
            if deepest - len(opened) >= _LEAST_QUOTES:
                return True
        elif character in "\"'":
            opened.append(character)
            deepest = max(deepest, len(opened))
    return False


def line_indent(response: str, _arguments: Arguments) -> bool:
    indents = [len(line) - len(line.lstrip(" ")) for line in _stairs(response.split("\n"))]
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
        if not line.strip():
            met[line].append(index)
        if not passed_by and not line.strip():
            removed.add(met[line].popleft())
            passed_by = True
        else:
            passed_by = False
    return [line for index, line in enumerate(lines) if index not in removed]
