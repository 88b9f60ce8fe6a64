"""Reads rules as users write them: a name, an object with options, or a list of either."""

import json
import math
from collections.abc import Callable, Mapping, Sequence

from assay.domain.dataset_report import Grading
from assay.domain.datasets.grading_rule import Rule
from assay.domain.errors import InvalidValueError
from assay.domain.json_value import Json

MOST_RULES = 20
MOST_TIMEOUT_S = 60.0
MOST_WEIGHT = 1_000_000
_SHOWN = 60
_COMMON = ("name", "weight", "expected")

Check = Callable[[Json], str | None]


def read_rules(value: Json) -> tuple[Rule, ...]:
    """Raises InvalidValueError, whose message begins with what is wrong with the rule."""
    if isinstance(value, str | Mapping):
        return (_rule(value),)
    if not isinstance(value, Sequence):
        raise InvalidValueError(f"must be a grader's name, an object or a list, not {_shown(value)}")
    if not 1 <= len(value) <= MOST_RULES:
        raise InvalidValueError(f"must name 1 to {MOST_RULES} graders, not {len(value)}")
    rules = tuple(map(_rule, value))
    if sum(rule.grader is Grading.JUDGE for rule in rules) > 1:
        raise InvalidValueError("names the judge more than once: put all requirements into one rubric")
    return rules


def default_grader(text: str) -> tuple[Grading, Json]:
    """How lines are graded that do not say so: a grader's name, or else a rule to write into each of them."""
    value: Json = text
    if text.lstrip().startswith(("{", "[")):
        try:
            value = json.loads(text)
        except ValueError as error:
            raise InvalidValueError(f"is not JSON: {error}") from error
    rules = read_rules(value)
    if len(rules) == 1 and rules[0].is_plain:
        return rules[0].grader, None
    return Grading.EXACT, value


def _rule(value: Json) -> Rule:
    content = {"name": value} if isinstance(value, str) else value
    if not isinstance(content, Mapping):
        raise InvalidValueError(f"must be a grader's name or an object, not {_shown(value)}")
    name = content.get("name")
    if not isinstance(name, str) or name not in frozenset(Grading):
        raise InvalidValueError(f"must be one of {', '.join(Grading)}, not {_shown(name)}")
    grader = Grading(name)
    weight = content.get("weight", 1.0)
    if not isinstance(weight, int | float) or isinstance(weight, bool) or not 0 < weight <= MOST_WEIGHT:
        fault = f"weight must be a number above 0 and at most {MOST_WEIGHT:,}, not {_shown(weight)}"
        raise InvalidValueError(f"{name}: {fault}")
    options = {key: option for key, option in content.items() if key not in _COMMON}
    _check_options(grader, options)
    return Rule(grader, float(weight), options, content.get("expected"))


def _check_options(grader: Grading, options: Mapping[str, Json]) -> None:
    known = OPTIONS[grader]
    for key, value in options.items():
        if key not in known:
            listed = ", ".join((*known, *_COMMON[1:]))
            raise InvalidValueError(f"{grader}: has no option {key!r}; there are {listed}")
        fault = known[key](value)
        if fault is not None:
            raise InvalidValueError(f"{grader}: {key} {fault}, not {_shown(value)}")
    missing = next((group for group in _REQUIRED.get(grader, ()) if not options.keys() & set(group)), None)
    if missing is not None:
        raise InvalidValueError(f"{grader}: needs the option {' or '.join(missing)}")


def _flag_fault(value: Json) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _number_fault(value: Json) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0:
        return None
    return "must be a number of at least 0"


def _share_fault(value: Json) -> str | None:
    is_share = _number_fault(value) is None and isinstance(value, int | float) and value <= 1
    return None if is_share else "must be a number from 0 to 1"


def _seconds_fault(value: Json) -> str | None:
    is_time = _number_fault(value) is None and isinstance(value, int | float) and 0 < value <= MOST_TIMEOUT_S
    return None if is_time else f"must be above 0 and at most {MOST_TIMEOUT_S:g} seconds"


def _text_fault(value: Json) -> str | None:
    return None if isinstance(value, str) and value.strip() else "must be a text that is not empty"


_OVERLAP: Mapping[str, Check] = {"at_least": _share_fault}
OPTIONS: Mapping[Grading, Mapping[str, Check]] = {
    Grading.EXACT: {"normalise": _flag_fault},
    Grading.CONTAINS: {"all": _flag_fault},
    Grading.REGEX: {},
    Grading.NUMBER: {"tolerance": _number_fault, "relative": _number_fault},
    Grading.CHOICE: {},
    Grading.JSON_SCHEMA: {},
    Grading.JSON: {"tolerance": _number_fault, "subset": _flag_fault},
    Grading.F1: _OVERLAP,
    Grading.ROUGE_L: _OVERLAP,
    Grading.BLEU: _OVERLAP,
    Grading.SIMILARITY: {"model": _text_fault, **_OVERLAP},
    Grading.CODE_TESTS: {"timeout_s": _seconds_fault},
    Grading.PYTHON: {"function": _text_fault, "timeout_s": _seconds_fault},
    Grading.LATENCY: {"max_s": _number_fault, "max_ttft_s": _number_fault},
    Grading.COST: {"max_usd": _number_fault},
    Grading.JUDGE: {"rubric": _text_fault},
}
# Of each group, one.
_REQUIRED: Mapping[Grading, Sequence[Sequence[str]]] = {
    Grading.SIMILARITY: [("model",)],
    Grading.PYTHON: [("function",)],
    Grading.LATENCY: [("max_s", "max_ttft_s")],
    Grading.COST: [("max_usd",)],
}


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
