"""Replies that end with labelled lines, such as `Total: 412`: each is compared exactly.

Only these lines count, so that a reply cannot gain by naming many things. Where a label stands again, after
the working or in a correction, the last line counts; two different values in a row are unreadable.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import cast

from assay.benchmarks.janus.benchmark import TaskKind, value_text
from assay.domain.benchmark import Cue, Grade, Row
from assay.domain.calls.messages import Completion
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.engine.graders.exact import normalised
from assay.engine.graders.number import parse_number
from assay.engine.graders.robust.markup import BOX_CLOSES, BOX_OPENS, plain
from assay.engine.graders.robust.visible import visible_text

_DEFAULT_LABEL = "Answer"
_LONGEST_VALUE = 500
_FORMS = {
    re.compile(r"\d{4}-\d{2}-\d{2}"): "[date as YYYY-MM-DD]",
    re.compile(r"\d{2}:\d{2}"): "[time as HH:MM]",
}
# An amount with its currency or what it counts before it, or its unit after it, of at most three words.
_AMOUNT = re.compile(
    r"(?:[A-Z]{3} |[$€£] ?|(?i:day|train|year|number|no\.|find|step|place) )?"
    r"(?P<number>[-+]?(?:\d{1,3}(?:[ '\u2009\u202f]\d{3})+(?:\.\d+)?|\d[\d.,]*))"
    r"(?: ?(?![eE]\d)(?P<unit>[%‰€£]|°?[^\W\d]+[²³]?(?:/[^\W\d]+[²³]?)?(?: [^\W\d]+){0,2}))?"
)
# Words after a number that change it.
_NOT_UNITS = frozenset(
    {"or", "and", "to", "not", "dozen", "hundred", "thousand", "million", "billion", "k", "bn"}
)
_GROUP_MARK = re.compile(r"[ '\u2009\u202f](?=\d)")
_EQUALS = re.compile("[=≈]")
_TRUTH = re.compile(r"\W*(?:the (?:claim|statement) is )?(true|false)\b(?!.*\b(?:true|false)\b)", re.DOTALL)
# A reason or a working behind a value, but no second value.
_REMARK = re.compile(r"(?:\s*\((?!or\b)[^()]*\)|\s+[\u2013\u2014]\s(?!or\b).*)$")
_LIST_NUMBER = re.compile(r"\d{1,2}[.)] ")
_ONE_DIGIT_HOUR = re.compile(r"\b(\d):(?=\d\d\b)")
_TYPESET = str.maketrans({"\u2013": "-", "\u2014": "-", "\u2019": "'", "\\": None})
_BOXES = str.maketrans({BOX_OPENS: None, BOX_CLOSES: None})
_Read = Decimal | bool | str | tuple[str, ...]


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
    """The last value of each label; none where the line before has another one."""
    found: dict[str, str] = {}
    unreadable: set[str] = set()
    previous: str | None = None
    lines = plain(visible_text(reply)).translate(_BOXES).splitlines()
    for line, following in pairwise([*lines, ""]):
        label, value = _labelled(line, values)
        if label is None:
            previous = None
            continue
        value = value or ("" if _labelled(following, values)[0] else _unbracketed(following, values[label]))
        if not value or len(value) > _LONGEST_VALUE:
            continue
        if label != previous:
            unreadable.discard(label)
        elif _differ(found[label], value, values[label]):
            unreadable.add(label)
        found[label], previous = value, label
    return {label: value for label, value in found.items() if label not in unreadable}


def _labelled(line: str, values: Mapping[str, Json]) -> tuple[str | None, str]:
    before, colon, after = line.partition(":")
    if not colon or len(before) > _LONGEST_VALUE:
        return None, ""
    named = _LIST_NUMBER.sub("", before.strip(), count=1).strip(" \t*_#>-").casefold()
    label = next((label for label in values if label.casefold() == named), None)
    return label, "" if label is None else _unbracketed(after, values[label])


def _unbracketed(text: str, value: Json) -> str:
    """Without the brackets of the form in the prompt; nothing if that was left as it stands there."""
    said = " ".join(text.split()).rstrip(".").strip(" *_")
    if said == _placeholder(value):
        return ""
    return said[1:-1].strip() if said.startswith("[") and said.endswith("]") else said


def _differ(one: str, other: str, value: Json) -> bool:
    """Two values that can be read; a line of working may say anything else."""
    earlier, later = _read(one, value), _read(other, value)
    return earlier is not None and later is not None and earlier != later


def _is_right(said: str | None, label: str, value: Json, settings: Row) -> bool | None:
    """None if the value cannot be read."""
    read = None if said is None else _read(said, value)
    if said is None or read is None:
        return None
    if isinstance(read, Decimal):
        tolerances = cast("Mapping[str, float]", settings.get("tolerance", {}))
        return abs(read - Decimal(str(value))) <= Decimal(str(tolerances.get(label, 0)))
    accepted = cast("Mapping[str, Sequence[str]]", settings.get("accept", {})).get(label, ())
    if isinstance(read, tuple):
        members = cast("Sequence[Json]", value)
        right = [tuple(_plain(str(one)) for one in members), *(_members(one, members) for one in accepted)]
        any_order = label in cast("Sequence[str]", settings.get("any_order", ()))
        return sorted(read) in map(sorted, right) if any_order else read in right
    if isinstance(value, str):
        right = [_plain(one) for one in (value, *accepted)]
        return read in right or _plain(_REMARK.sub("", said)) in right
    return read is value


def _read(said: str, value: Json) -> _Read | None:
    """What was said, as a value of the kind of `value`; None if it is none."""
    if isinstance(value, bool):
        match = _TRUTH.match(said.casefold())
        return None if match is None else match[1] == "true"
    if isinstance(value, int | float):
        return _amount(_EQUALS.split(_REMARK.sub("", said))[-1].strip())
    if isinstance(value, str):
        return _plain(said)
    return _members(_REMARK.sub("", said), cast("Sequence[Json]", value))


def _amount(text: str) -> Decimal | None:
    match = _AMOUNT.fullmatch(text.translate(_TYPESET))
    if match is None or not _NOT_UNITS.isdisjoint((match["unit"] or "").casefold().split()):
        return parse_number(text)
    return parse_number(_GROUP_MARK.sub("", match["number"]))


def _members(text: str, wanted: Sequence[Json]) -> tuple[str, ...]:
    """Separated by semicolons, commas, arrows, or `and` where no right member has this word in it."""
    has_and = any(" and " in str(one) for one in wanted)
    parts = re.split("[;,>→]" if has_and else r"[;,>→]|\band\b", text)
    return tuple(_plain(_LIST_NUMBER.sub("", one.strip(), count=1)) for one in parts if one.strip())


def _plain(text: str) -> str:
    text = _ONE_DIGIT_HOUR.sub(r"0\1:", text.translate(_TYPESET))
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
