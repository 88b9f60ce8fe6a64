"""The rows of the official data, checked field by field."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.domain.benchmark import Tables
from assay.engine.planning.rows import NumberedRow, distinct

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
    # Only our demo items have one.
    wrong: str | None


def questions(tables: Tables) -> Iterator[Question]:
    """Every row; an unusable row raises BadRowError with its number and the field."""
    return distinct(tables.rows(SPLIT), _question, where=_WHERE, id_field="question_id")


def _question(row: NumberedRow) -> Question:
    return Question(
        id=_id(row),
        # Not stripped: trailing blanks are part of the official prompt.
        text=row.text("question"),
        answer=row.text("answer"),
        category=row.text("document_category"),
        document_set=row.text("document_set_id"),
        documents=_names(row),
        wrong=row.text_if_there("_wrong"),
    )


def _id(row: NumberedRow) -> str:
    value = row.fields.get("question_id")
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise row.error(f"field 'question_id' must be a number or a text, not {value!r}")
    return str(value)


def _names(row: NumberedRow) -> tuple[str, ...]:
    """Names separated by `;` in the official file; copies of it may have a list."""
    value = row.fields.get("data_source_filenames")
    parts = value.split(";") if isinstance(value, str) else value
    if not isinstance(parts, Sequence) or not parts:
        raise row.error("field 'data_source_filenames' must name documents")
    names = tuple(part for part in parts if isinstance(part, str) and part.strip())
    if len(names) < len(parts):
        raise row.error("field 'data_source_filenames' holds something that is not a name")
    return names
