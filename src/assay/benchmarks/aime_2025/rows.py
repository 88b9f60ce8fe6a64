"""The rows of the published copies of the problems, whose field names differ."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.domain.benchmark import Row, Tables
from assay.domain.errors import BadRowError

SPLIT = "test"
_IDS = ("id", "problem_idx")
_TEXTS = ("problem", "question")
_ANSWERS = ("answer", "expected_answer")
_LARGEST = 999
_PLACE = f"split {SPLIT!r} of aime_2025"
# One copy gives an answer in degrees.
_LEADING_DIGITS = re.compile(r"\s*(\d+)")


@dataclass(frozen=True, slots=True)
class Problem:
    id: str
    text: str
    answer: int
    # The solution; only our demo items have one.
    reason: str | None


def problems(tables: Tables) -> Iterator[Problem]:
    """Every row; rows without ids are numbered from 0."""
    seen: set[str] = set()
    for number, row in enumerate(tables.rows(SPLIT), start=1):
        problem = Problem(_id(row, number), _text(row, number), _answer(row, number), _reason(row))
        if problem.id in seen:
            raise BadRowError(_PLACE, number, f"id {problem.id!r} is repeated")
        seen.add(problem.id)
        yield problem


def _id(row: Row, number: int) -> str:
    for field in _IDS:
        value = row.get(field)
        if isinstance(value, int | str) and not isinstance(value, bool) and value != "":
            return str(value)
    return str(number - 1)


def _text(row: Row, number: int) -> str:
    for field in _TEXTS:
        value = row.get(field)
        if isinstance(value, str) and value.strip():
            return value
    raise BadRowError(
        _PLACE, number, f"field {_TEXTS[0]!r} or {_TEXTS[1]!r} must be a text that is not empty"
    )


def _answer(row: Row, number: int) -> int:
    for field in _ANSWERS:
        digits = _LEADING_DIGITS.match(str(row.get(field)))
        if digits and int(digits[1]) <= _LARGEST:
            return int(digits[1])
    fault = f"field {_ANSWERS[0]!r} or {_ANSWERS[1]!r} must be a whole number from 0 to {_LARGEST}"
    raise BadRowError(_PLACE, number, fault)


def _reason(row: Row) -> str | None:
    value = row.get("_reason")
    return value if isinstance(value, str) else None
