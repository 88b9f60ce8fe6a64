"""The rows of the official data, checked field by field."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.domain.benchmark import Row, Tables
from assay.domain.errors import BadRowError

SPLIT = "test"
_WHERE = f"split {SPLIT!r} of aa_lcr"


@dataclass(frozen=True, slots=True)
class Question:
    """One row; the order of the documents is that of the prompt."""

    id: str
    text: str
    answer: str
    category: str
    document_set: str
    documents: tuple[str, ...]
    # Our samples carry a wrong answer each.
    wrong: str | None


def questions(tables: Tables) -> Iterator[Question]:
    """Every row; one that cannot be used is a BadRowError with its number and the field."""
    seen: set[str] = set()
    for number, row in enumerate(tables.rows(SPLIT), start=1):
        question = _question(number, row)
        if question.id in seen:
            raise BadRowError(_WHERE, number, f"question_id {question.id!r} was there before")
        seen.add(question.id)
        yield question


def _question(number: int, row: Row) -> Question:
    return Question(
        id=_id(number, row),
        # As it stands, blanks at its end included: they are part of the official prompt.
        text=_text(number, row, "question"),
        answer=_text(number, row, "answer"),
        category=_text(number, row, "document_category"),
        document_set=_text(number, row, "document_set_id"),
        documents=_names(number, row),
        wrong=_text(number, row, "_wrong") if "_wrong" in row else None,
    )


def _id(number: int, row: Row) -> str:
    value = row.get("question_id")
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise BadRowError(_WHERE, number, f"field 'question_id' must be a number or a text, not {value!r}")
    return str(value)


def _names(number: int, row: Row) -> tuple[str, ...]:
    """A text with `;` between the names in the official file; copies of it may have a list."""
    value = row.get("data_source_filenames")
    parts = value.split(";") if isinstance(value, str) else value
    if not isinstance(parts, Sequence) or not parts:
        raise BadRowError(_WHERE, number, "field 'data_source_filenames' must name documents")
    names = tuple(part for part in parts if isinstance(part, str) and part.strip())
    if len(names) < len(parts):
        raise BadRowError(_WHERE, number, "field 'data_source_filenames' holds something that is no name")
    return names


def _text(number: int, row: Row, field: str) -> str:
    value = row.get(field)
    if not isinstance(value, str) or not value.strip():
        raise BadRowError(_WHERE, number, f"field {field!r} must be a text that is not empty, not {value!r}")
    return value
