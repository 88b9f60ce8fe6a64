"""From replies to a score: filters, then exact match, as lm-eval computes them.

Patterns are Python's, since tasks are written for them: this runs in a process with limits.
"""

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.domain.json_value import Json

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_NO_DIGITS = str.maketrans("", "", string.digits)
INVALID = "[invalid]"


@dataclass(frozen=True, slots=True)
class Step:
    """One function of a filter, with its options."""

    function: str
    options: Mapping[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True)
class Filter:
    name: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class ExactMatch:
    regexes_to_ignore: tuple[str, ...] = ()
    ignore_case: bool = False
    ignore_punctuation: bool = False
    ignore_numbers: bool = False


@dataclass(frozen=True, slots=True)
class Scored:
    """What a filter left of the replies, and whether it is right; `is_valid` if a pattern was found."""

    filtered: str
    score: float
    is_valid: bool


def score_replies(
    filters: Sequence[Filter], metric: ExactMatch, replies: Sequence[str], targets: Sequence[str]
) -> list[Scored]:
    """One result for each filter; right is what equals any of the targets."""
    return [_scored(one, metric, replies, targets) for one in filters]


def _scored(one: Filter, metric: ExactMatch, replies: Sequence[str], targets: Sequence[str]) -> Scored:
    left = list(replies)
    fallbacks: set[str] = set()
    for step in one.steps:
        if step.function == "regex":
            fallbacks.add(str(step.options.get("fallback", INVALID)))
        left = _applied(step, left)
    said = left[0]
    is_right = any(_form(metric, said) == _form(metric, target) for target in targets)
    return Scored(said, float(is_right), said not in fallbacks)


_OF_EACH: Mapping[str, Callable[[str], str]] = {
    "remove_whitespace": str.strip,
    "lowercase": str.lower,
    "uppercase": str.upper,
}


def _applied(step: Step, replies: list[str]) -> list[str]:
    if step.function in _OF_EACH:
        return list(map(_OF_EACH[step.function], replies))
    match step.function:
        case "regex":
            return [_found(step, reply) for reply in replies]
        case "map":
            return [_mapped(step, reply) for reply in replies]
        case "majority_vote":
            return [Counter(replies).most_common(1)[0][0]]
        case _:
            count = step.options.get("k")
            return replies[: count if isinstance(count, int) else 1]


def _found(step: Step, reply: str) -> str:
    fallback = str(step.options.get("fallback", INVALID))
    place = step.options.get("group_select", 0)
    found: list[str | tuple[str, ...]] = re.findall(str(step.options["regex_pattern"]), reply)
    if not found:
        return fallback
    try:
        match = found[place if isinstance(place, int) else 0]
    except IndexError:
        return fallback
    if isinstance(match, tuple):
        match = next(filter(None, match), fallback)
    return match.strip()


def _mapped(step: Step, reply: str) -> str:
    mapping = step.options.get("mapping_dict")
    value = mapping.get(reply) if isinstance(mapping, Mapping) else None
    return str(step.options.get("default_value") if value is None else value)


def _form(metric: ExactMatch, text: str) -> str:
    for pattern in metric.regexes_to_ignore:
        text = re.sub(pattern, "", text)
    if metric.ignore_case:
        text = text.lower()
    if metric.ignore_punctuation:
        text = text.translate(_NO_PUNCTUATION)
    if metric.ignore_numbers:
        text = text.translate(_NO_DIGITS)
    # Arrays of texts, in which lm-eval compares them, do not keep these at the end.
    return text.rstrip("\0")
