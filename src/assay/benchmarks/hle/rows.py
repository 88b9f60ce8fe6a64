"""The rows of the official data, checked field by field."""

from collections.abc import Iterator
from dataclasses import dataclass

from assay.domain.benchmark import Tables
from assay.engine.planning.rows import NumberedRow, distinct

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
    # A right and a wrong answer; only our demo items have them.
    right: str | None
    wrong: str | None


def questions(tables: Tables) -> Iterator[Question]:
    """Every row; an unusable row raises BadRowError with its number and the field."""
    return distinct(tables.rows(SPLIT), _question, where=_WHERE, id_field="id")


def _question(row: NumberedRow) -> Question:
    image = row.fields.get("image") or ""
    if not isinstance(image, str) or (image and not image.startswith(_IMAGE_START)):
        raise row.error("field 'image' must be a data URL of an image, or empty")
    return Question(
        id=row.text("id"),
        text=row.text("question"),
        image=image,
        answer=row.text("answer"),
        answer_type=row.text("answer_type", default="exactMatch"),
        category=row.text("category", default="Other"),
        right=row.text_if_there("_right"),
        wrong=row.text_if_there("_wrong"),
    )
