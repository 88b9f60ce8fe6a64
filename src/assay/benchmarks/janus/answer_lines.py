"""Replies that end with labelled lines, such as `Total: 412`: each is compared exactly.

Only these lines count, so that a reply cannot gain by naming many things. A label that stands there with
two different values is unreadable.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import cast

from assay.benchmarks.janus.benchmark import TaskKind, value_text
from assay.domain.benchmark import Cue, Grade, Row
from assay.domain.json_value import Json
from assay.domain.messages import Completion
from assay.domain.outcome import Outcome
from assay.engine.graders.exact import normalised
from assay.engine.graders.number import parse_number

_DEFAULT_LABEL = "Answer"
_LONGEST_VALUE = 500
# The lines stand at the end: a longer reply would only hold up the event loop.
_READ_CHARACTERS = 50_000
_MARKUP = " \t*_`#>"
_FORMS = {
    re.compile(r"\d{4}-\d{2}-\d{2}"): "[date as YYYY-MM-DD]",
    re.compile(r"\d{2}:\d{2}"): "[time as HH:MM]",
}
# A number, and at most three words of a unit; words that change the number are none.
_NUMBER = re.compile(
    r"[$€£]?\s?(?P<number>[-+\u2212]?\d[\d.,\u2009\u202f]*)\s?(?P<unit>%|[^\W\d]+(?: [^\W\d]+){0,2})?"
)
_NOT_UNITS = frozenset({"or", "and", "to", "not", "dozen", "hundred", "thousand", "million", "billion"})


def expected_values(task: Row) -> Mapping[str, Json]:
    expected = task["expected_answer"]
    return expected if isinstance(expected, Mapping) else {_DEFAULT_LABEL: expected}


def answer_protocol(task: Row) -> str:
    values = expected_values(task)
    lines = "\n".join(f"{label}: {_placeholder(value)}" for label, value in values.items())
    what = "this line" if len(values) == 1 else f"these {len(values)} lines, each once and in this order"
    return f"End your reply with {what}, with your answer in place of the brackets:\n{lines}"


def _placeholder(value: Json) -> str:
    match value:
        case bool():
            return "[TRUE or FALSE]"
        case int() | float():
            return "[number]"
        case str():
            return next((form for pattern, form in _FORMS.items() if pattern.fullmatch(value)), "[answer]")
        case _:
            return "[answers, separated by semicolons]"


def grade_answer_lines(task: Row, completion: Completion) -> Grade:
    """The share of lines that are right."""
    values, settings = expected_values(task), cast("Mapping[str, Json]", task.get("evaluation", {}))
    said = _said(completion.answer, values)
    right = {label: _is_right(said.get(label), label, value, settings) for label, value in values.items()}
    extracted = "\n".join(f"{label}: {text}" for label, text in said.items()) or None
    details: dict[str, Json] = {"lines": {label: one is True for label, one in right.items()}}
    if all(one is None for one in right.values()):
        labels = ", ".join(f"{label}:" for label in values)
        return Grade(
            Outcome.UNPARSED, 0.0, extracted, f"no line with one readable value for {labels}", details
        )
    score = sum(one is True for one in right.values()) / len(right)
    if settings.get("all_or_nothing"):
        score = float(score == 1)
    outcome = {0.0: Outcome.INCORRECT, 1.0: Outcome.CORRECT}.get(score, Outcome.PARTIAL)
    return Grade(outcome, score, extracted, _explanation(right, said, values), details)


def _explanation(
    right: Mapping[str, bool | None], said: Mapping[str, str], values: Mapping[str, Json]
) -> str:
    faults = [
        f"{label}: {said.get(label, 'nothing')!r}, right is {value_text(values[label])!r}"
        for label, one in right.items()
        if one is not True
    ]
    return "; ".join(faults) or "every line is right"


def _said(reply: str, values: Mapping[str, Json]) -> dict[str, str]:
    """The value of each label that has exactly one."""
    labels = {label.casefold(): label for label in values}
    found: dict[str, list[str]] = {}
    for line in reply[-_READ_CHARACTERS:].splitlines():
        before, colon, after = line.partition(":")
        label = (
            labels.get(before.strip(_MARKUP + "-").casefold())
            if colon and len(before) < _LONGEST_VALUE
            else None
        )
        value = after.strip(_MARKUP).rstrip(".").rstrip(_MARKUP) if label else ""
        # Brackets are those of the form in the prompt, not filled in.
        if label and value and len(value) <= _LONGEST_VALUE and not value.startswith("["):
            found.setdefault(label, []).append(value)
    return {label: texts[-1] for label, texts in found.items() if len(set(map(normalised, texts))) == 1}


def _is_right(said: str | None, label: str, value: Json, settings: Row) -> bool | None:
    """None if the value cannot be read."""
    if said is None:
        return None
    if isinstance(value, bool):
        return {"true": value, "false": not value}.get(said.casefold())
    if isinstance(value, int | float):
        tolerances = cast("Mapping[str, float]", settings.get("tolerance", {}))
        return _is_near(said, value, tolerances.get(label, 0))
    if isinstance(value, str):
        accepted = cast("Mapping[str, Sequence[str]]", settings.get("accept", {})).get(label, ())
        return _plain(said) in map(_plain, (value, *accepted))
    any_order = label in cast("Sequence[str]", settings.get("any_order", ()))
    members = [_plain(one) for one in re.split("[;,]", said) if one.strip()]
    wanted = [_plain(str(one)) for one in cast("Sequence[Json]", value)]
    return sorted(members) == sorted(wanted) if any_order else members == wanted


def _is_near(said: str, value: float, tolerance: float) -> bool | None:
    match = _NUMBER.fullmatch(said)
    if match is None or not _NOT_UNITS.isdisjoint((match["unit"] or "").casefold().split()):
        return None
    number = parse_number(match["number"])
    return None if number is None else abs(number - Decimal(str(value))) <= Decimal(str(tolerance))


def _plain(text: str) -> str:
    return normalised(text).removeprefix("the ")


def answer_cue(task: Row) -> Cue:
    values = expected_values(task)
    return Cue(
        right="\n".join(f"{label}: {value_text(value)}" for label, value in values.items()),
        wrong="\n".join(f"{label}: {_wrong(value)}" for label, value in values.items()),
    )


def _wrong(value: Json) -> str:
    if isinstance(value, bool):
        return value_text(not value)
    return str(value + 7) if isinstance(value, int | float) else "none of them"


ANSWER_LINES = TaskKind(answer_protocol, grade_answer_lines, answer_cue)
