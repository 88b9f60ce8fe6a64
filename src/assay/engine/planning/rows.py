"""Reads rows of a data set field by field; errors name the row and the field."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

from assay.domain.benchmark import Row
from assay.domain.errors import BadRowError


class HasId(Protocol):
    @property
    def id(self) -> str: ...


Q = TypeVar("Q", bound=HasId)


@dataclass(frozen=True, slots=True)
class NumberedRow:
    """A row and its place: `where` names the data in errors."""

    where: str
    number: int
    fields: Row

    def text(self, field: str, *, default: str | None = None) -> str:
        value = self.fields.get(field, default)
        if not isinstance(value, str) or not value.strip():
            raise self.error(f"field {field!r} must be a text that is not empty, not {value!r}")
        return value

    def text_if_there(self, field: str) -> str | None:
        return self.text(field) if field in self.fields else None

    def error(self, problem: str) -> BadRowError:
        return BadRowError(self.where, self.number, problem)


def distinct(
    rows: Iterable[Row], read: Callable[[NumberedRow], Q], *, where: str, id_field: str
) -> Iterator[Q]:
    """What `read` returns for every row; raises BadRowError if an id is repeated."""
    seen: set[str] = set()
    for number, fields in enumerate(rows, start=1):
        row = NumberedRow(where, number, fields)
        question = read(row)
        if question.id in seen:
            raise row.error(f"{id_field} {question.id!r} is repeated")
        seen.add(question.id)
        yield question
