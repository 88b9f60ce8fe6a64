"""Tables of a suite as what they mean."""

import json
import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ValidationError

from assay.adapters.suites import schema
from assay.domain.composite import CompositeRule, Weights
from assay.domain.errors import InvalidValueError
from assay.domain.run import Description
from assay.engine.gate.policy import Rules
from assay.engine.suites.suite import TAG

TableT = TypeVar("TableT", bound=BaseModel)
_NO_TAG = re.compile(r"[^\w.:/-]+")
_MOST_TAG = 64 - len(TAG) - 1


def validated(kind: type[TableT], value: object) -> TableT | None:
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        if not isinstance(value, dict):
            return None
        table = cast("dict[str, Any]", value)  # every key of a document is a text
        faulty = {one["loc"][0] for one in error.errors(include_input=False) if one["loc"]}
        rest = {name: one for name, one in table.items() if name not in faulty}
    try:
        return kind.model_validate(rest)
    except ValidationError:
        return None


def text_in(value: object, default: str) -> str:
    return value if isinstance(value, str) else default


def options_in(given: Mapping[str, Any] | str | None) -> dict[str, Any]:
    if not isinstance(given, str):
        return dict(given or {})
    try:
        value = json.loads(given)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise InvalidValueError("the text must hold an object as JSON")
    return value  # pyright: ignore[reportUnknownVariableType] # whatever JSON holds


def composite_rule(table: schema.CompositeTable) -> CompositeRule:
    weights = {part.value: points for part, points in table.weights.items()}
    return CompositeRule(Weights(**weights), table.minimum_quality)


def gate_rules(table: schema.RulesTable, fallback: Rules) -> Rules:
    given = {one.name: getattr(table, one.name) for one in fields(Rules)}
    return replace(fallback, **{name: value for name, value in given.items() if value is not None})


def description_of(name: str, table: schema.SuiteTable) -> Description:
    word = _NO_TAG.sub("-", name)[:_MOST_TAG]
    return Description.of(name, table.note, (f"{TAG}:{word}", *table.tags))
