"""Replies of lines: equal to the expected ones, or made by rules."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

from assay.benchmarks.janus.benchmark import TaskKind
from assay.domain.benchmark import Cue, Grade, Row
from assay.domain.calls.messages import Completion
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome

_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_FENCE = "```"
_LIST_MARK = re.compile(r"(?:[-*\u2022]|\d{1,3}[.)]) ")
_LONGEST_LINE = 2_000
# Many times what any task asks for.
_MOST_CHARACTERS = 100_000
# A reply with more lines is another one than was asked for.
_MOST_LINES_AGAIN = 2
_PROTOCOL = "Write these lines and nothing else: no introduction, no comment, no blank lines."


def lines_protocol(task: Row) -> str:
    del task  # the same for all
    return _PROTOCOL


def grade_lines(task: Row, completion: Completion) -> Grade:
    """The share of lines that are right, each in its place."""
    given = [" ".join(line.split()) for line in completion.answer[:_MOST_CHARACTERS].splitlines()]
    given = [line for line in given if line and not line.startswith(_FENCE)]
    if not given:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the reply has no lines")
    rules = _rules(task)
    wanted = _count(rules) if rules else len(_expected(task))
    # An introduction that nobody asked for is a line too many, but moves none of the others.
    starts = (0, 1) if given[0].endswith(":") else (0,)
    right = max(
        _lines_by_rules(lines, rules) if rules else _equal_lines(lines, _unlisted(_expected(task)))
        for lines in (_unlisted(given[start:]) for start in starts)
    )
    details: dict[str, Json] = {"lines": len(given), "wanted_lines": wanted, "right_lines": right}
    score = right / max(wanted, len(given)) if len(given) <= _MOST_LINES_AGAIN * wanted else 0.0
    outcome = {0.0: Outcome.INCORRECT, 1.0: Outcome.CORRECT}.get(score, Outcome.PARTIAL)
    explanation = f"{right} of {wanted} lines are right; the reply has {len(given)}"
    return Grade(outcome, score, explanation=explanation, details=details)


def _unlisted(lines: Sequence[str]) -> Sequence[str]:
    """Without the marks of a Markdown list, if every line has one."""
    is_list = all(map(_LIST_MARK.match, lines))
    return [_LIST_MARK.sub("", line, count=1) for line in lines] if is_list else lines


def _rules(task: Row) -> Row | None:
    evaluation = cast("Mapping[str, Json]", task.get("evaluation", {}))
    return cast("Row | None", evaluation.get("line_rules"))


def _count(rules: Row) -> int:
    return cast("int", rules["count"])


def _expected(task: Row) -> list[str]:
    return str(task["expected_answer"]).splitlines()


def _equal_lines(given: Sequence[str], expected: Sequence[str]) -> int:
    return sum(one.casefold() == other.casefold() for one, other in zip(given, expected, strict=False))


def _lines_by_rules(given: Sequence[str], rules: Row) -> int:
    """With another number of lines than asked for, none; a line that is there twice counts once."""
    if len(given) != _count(rules):
        return 0
    seen: set[str] = set()
    right = 0
    for position, line in enumerate(given):
        words = _WORD.findall(line[:_LONGEST_LINE].casefold())
        right += _follows(words, position, rules) and line.casefold() not in seen
        seen.add(line.casefold())
    return right


def _follows(words: Sequence[str], position: int, rules: Row) -> bool:
    starts = cast("Sequence[str] | None", rules.get("starts"))
    contains = cast("Sequence[str] | None", rules.get("contains"))
    if not words or ("words" in rules and len(words) != rules["words"]):
        return False
    if starts and not words[0].startswith(starts[position % len(starts)].casefold()):
        return False
    return not contains or contains[position % len(contains)].casefold() in words


def lines_cue(task: Row) -> Cue:
    rules = _rules(task)
    right = (
        "\n".join(_line(rules, n) for n in range(_count(rules))) if rules else str(task["expected_answer"])
    )
    return Cue(right=right, wrong="I would rather write something else.")


def _line(rules: Row, position: int) -> str:
    """A line that follows the rules, whatever it means."""
    starts = cast("Sequence[str]", rules.get("starts", ("line",)))
    contains = cast("Sequence[str]", rules.get("contains", ()))
    words = [starts[position % len(starts)] + "a" * (position + 1)]
    words += [contains[position % len(contains)]] if contains else []
    wanted = cast("int", rules.get("words", len(words)))
    return " ".join([*words, *["word"] * (wanted - len(words))])


LINES = TaskKind(lines_protocol, grade_lines, lines_cue)
