import re
from collections import defaultdict, deque
from itertools import pairwise

from assay.engine.graders.instructions.answer import Answer
from assay.engine.graders.instructions.arguments import Arguments

_LEAST_QUOTES = 3
_ALL_BUT_BRACKETS = bytes(code for code in range(256) if chr(code) not in "()[]{}")
_ALL_BUT_QUOTES = bytes(code for code in range(256) if chr(code) not in "\"'")
_KINDS = ("()", "[]", "{}")
# Of groups side by side the deeper one counts.
_SIDE_BY_SIDE = [(f"{one}{other}", max(one, other)) for one in "1234" for other in "1234"]
_ENCLOSED = [(f"{kind[0]}{level}{kind[1]}", str(level + 1)) for level in (1, 2, 3) for kind in _KINDS]
_FIVE_LEVELS = re.compile(r"O4|O[1-4]?O3|(?:O[1-4]?){2}O2|(?:O[1-4]?){3}O1".replace("O", r"\("))
_LEVELS_OF_ONE = re.compile("1{2,}")
_TEN_OPEN = "(" * 10
_FOUR_QUOTES = ('""""', "''''")
_OTHER_QUOTE = {"'": '"', '"': "'"}
_ALTERNATING = re.compile("\"(?:'\")*'?|'(?:\"')*\"?")


def parentheses(answer: Answer, _arguments: Arguments) -> bool:
    """Five brackets open at once, and one of them closed; a bracket that closes none starts all over."""
    return five_nested("".join(answer.facts_whatever_stars(_brackets)))


def quotes(answer: Answer, _arguments: Arguments) -> bool:
    """Three levels closed since the deepest; the deepest is never forgotten."""
    return three_closed("".join(answer.facts_whatever_stars(_quotes)))


def five_nested(brackets: str) -> bool:
    """Writes for each group that is closed how many levels it has.

    Of the brackets that are left, those that close close none, and those that open stay open: one level
    within four of them, or two within three, and so on, make five.
    """
    levels = brackets
    for kind in _KINDS:
        levels = levels.replace(kind, "1")
    if "1" not in levels:
        return False
    levels = _LEVELS_OF_ONE.sub("1", levels)
    length = -1
    while len(levels) != length:
        length = len(levels)
        for found, level in (*_SIDE_BY_SIDE, *_ENCLOSED):
            levels = levels.replace(found, level)
    return bool(_FIVE_LEVELS.search(_with_few_open(levels)))


def _with_few_open(levels: str) -> str:
    """Which kind of bracket stays open makes no difference, nor how many beyond four do in a row."""
    opened = levels.replace("[", "(").replace("{", "(")
    while _TEN_OPEN in opened:
        opened = opened.replace(_TEN_OPEN, _TEN_OPEN[:5])
    return opened


def three_closed(quoted: str) -> bool:
    """Quotes in turn all open a level, or all close one until none is open."""
    for same in _FOUR_QUOTES:
        # Opened and closed again and again: once tells all.
        while same in quoted:
            quoted = quoted.replace(same, same[:2])
    depth = deepest = 0
    top = ""
    for run in _ALTERNATING.findall(quoted):
        closed = min(len(run), depth) if run[0] == top else 0
        if closed and deepest - (depth - closed) >= _LEAST_QUOTES:
            return True
        opened = len(run) - closed
        depth += opened - closed
        deepest = max(deepest, depth)
        top = run[-1] if opened else _OTHER_QUOTE[run[-1]]
    return False


def _brackets(text: str) -> str:
    return text.encode("ascii", "replace").translate(None, delete=_ALL_BUT_BRACKETS).decode("ascii")


def _quotes(text: str) -> str:
    return text.encode("ascii", "replace").translate(None, delete=_ALL_BUT_QUOTES).decode("ascii")


def line_indent(answer: Answer, _arguments: Arguments) -> bool:
    # Of n lines at least (n - 1) // 2 stay, and indents that grow take that many blanks and more.
    least_lines = answer.text.count("\n") // 2
    if least_lines * (least_lines - 1) // 2 > len(answer.text):
        return False
    indents = [len(line) - len(line.lstrip(" ")) for line in _stairs(answer.text.split("\n"))]
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
