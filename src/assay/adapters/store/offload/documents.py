"""Attempts as rows of named values, and back: the tables' columns, with texts in place of their hashes."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, cast

from sqlalchemy import Boolean, Column, Double, Integer, LargeBinary, Row, Table

from assay.adapters.store.attempts.arrivals import Moments, packed
from assay.adapters.store.attempts.rows import (
    TEXT_COLUMNS,
    WITHOUT_TEXTS,
    attempt_from,
    attempt_row,
    call_from,
    call_rows,
)
from assay.adapters.store.attempts.tables import attempts, calls
from assay.adapters.store.database.columns import Amount, Moment, TokenCount
from assay.adapters.store.database.stored_values import original, storable
from assay.domain.attempt import Attempt
from assay.domain.calls.pricing import known_usd

Document = dict[str, Any]

_HASH = "_sha256"
_KEY = ("evaluation_id", "item_id", "sample")
_KINDS: Mapping[type[Any], type[Any]] = {
    Boolean: bool,
    TokenCount: int,
    Integer: int,
    Double: float,
    Moment: datetime,
    LargeBinary: bytes,
}
_FIGURE_NAMES = WITHOUT_TEXTS.selected_columns.keys()


def _kind(column: Column[Any]) -> type[Any]:
    """Amounts are texts: they have any number of digits."""
    return next((kind for one, kind in _KINDS.items() if isinstance(column.type, one)), str)


def _kinds(table: Table, *, without: tuple[str, ...]) -> dict[str, type[Any]]:
    return {
        column.name: _kind(column)
        for column in table.columns
        if column.name not in without and column.name not in TEXT_COLUMNS
    }


FIGURES = _kinds(attempts, without=())
"""The columns without texts and calls, each with the type of its values."""

_TEXTS = tuple(dict.fromkeys(name.removesuffix(_HASH) for name in TEXT_COLUMNS))
CALLS = _kinds(calls, without=(*_KEY, "number"))
COLUMNS: Mapping[str, type[Any]] = {**FIGURES, **dict.fromkeys(_TEXTS, str), "calls": list}
_AMOUNTS = frozenset(
    column.name for table in (attempts, calls) for column in table.columns if isinstance(column.type, Amount)
)
_CALL_NAMES = calls.c.keys()


def document_of(attempt: Attempt) -> Document:
    stored = dict(zip(attempts.c.keys(), attempt_row(attempt), strict=True))
    texts = {name: stored.get(f"{name}{_HASH}") for name in _TEXTS} | {"answer": attempt.answer}
    figures = {name: stored[name] for name in FIGURES}
    made = (dict(zip(_CALL_NAMES, row, strict=True)) for row in call_rows(attempt))
    return {
        **{name: _plain(value) for name, value in (figures | texts).items()},
        "calls": [{name: _plain(one[name]) for name in CALLS} for one in made],
    }


def attempt_of(document: Document) -> Attempt:
    """A value that is not there is unknown."""
    values = {name: _restored(name, value) for name, value in document.items() if name != "calls"}
    return replace(
        attempt_from([values.get(name) for name in _FIGURE_NAMES]),
        prompt=values.get("prompt") or "",
        answer=values.get("answer") or "",
        reasoning=values.get("reasoning") or "",
        test_code=values.get("test_code"),
        calls=tuple(
            call_from(_call_row({name: _restored(name, value) for name, value in one.items()}))
            for one in document.get("calls") or ()
        ),
    )


def size_of(document: Document) -> int:
    """About how many bytes it takes in memory."""
    values = (*document.values(), *(value for one in document["calls"] for value in one.values()))
    return sum(len(value) if isinstance(value, str | bytes) else 8 for value in values)


def _call_row(values: Mapping[str, Any]) -> Row[Any]:
    # Has the names that are read of a row.
    return cast("Row[Any]", SimpleNamespace(**{name: values.get(name) for name in _CALL_NAMES}))


def _plain(value: object) -> object:
    match value:
        case str():
            return storable(value)
        case Decimal():
            return str(value)
        case Moments():
            return packed(value)
        case _:
            return value


def _restored(name: str, value: Any) -> Any:  # noqa: ANN401 # as the file has it
    if isinstance(value, str):
        return known_usd(Decimal(value)) if name in _AMOUNTS else original(value)
    return value.astimezone(UTC) if isinstance(value, datetime) else value
