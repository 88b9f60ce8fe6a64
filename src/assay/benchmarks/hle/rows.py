"""The rows of the official data, checked field by field."""

from collections.abc import Iterator
from dataclasses import dataclass

from assay.domain.benchmark import Row, Tables
from assay.domain.errors import BadRowError

SPLIT = "test"
_IMAGE_START = "data:image/"
_WHERE = f"split {SPLIT!r} of hle"


@dataclass(frozen=True, slots=True)
class Question:
    """One row; `image` is a data URL, or empty."""

    id: str
    text: str
    image: str
    answer: str
    answer_type: str
    category: str
    # Our samples carry an answer of each kind.
    right: str | None
    wrong: str | None


def questions(tables: Tables) -> Iterator[Question]:
    """Every row; one that cannot be used is a BadRowError with its number and the field."""
    seen: set[str] = set()
    for number, row in enumerate(tables.rows(SPLIT), start=1):
        question = _question(number, row)
        if question.id in seen:
            raise BadRowError(_WHERE, number, f"id {question.id!r} was there before")
        seen.add(question.id)
        yield question


def _question(number: int, row: Row) -> Question:
    image = row.get("image") or ""
    if not isinstance(image, str) or (image and not image.startswith(_IMAGE_START)):
        raise BadRowError(_WHERE, number, "field 'image' must be a data URL of an image, or empty")
    return Question(
        id=_text(number, row, "id"),
        text=_text(number, row, "question"),
        image=image,
        answer=_text(number, row, "answer"),
        answer_type=_text(number, row, "answer_type", default="exactMatch"),
        category=_text(number, row, "category", default="Other"),
        right=_text(number, row, "_right") if "_right" in row else None,
        wrong=_text(number, row, "_wrong") if "_wrong" in row else None,
    )


def _text(number: int, row: Row, field: str, *, default: str | None = None) -> str:
    value = row.get(field, default)
    if not isinstance(value, str) or not value.strip():
        raise BadRowError(_WHERE, number, f"field {field!r} must be a text that is not empty, not {value!r}")
    return value
