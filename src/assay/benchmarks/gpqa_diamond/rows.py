"""The rows of the official table, checked field by field."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.domain.benchmark import Row, Tables
from assay.domain.errors import BadRowError

LETTERS = "ABCD"
SPLIT = "train"
_ANSWERS = ("Correct Answer", "Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3")
# As in simple-evals, one order of the options is drawn for each row and repeat, in the order of the table.
_ORDER_SEED = 0


@dataclass(frozen=True, slots=True)
class Question:
    """One row; the first of the `answers` is the right one."""

    id: str
    text: str
    answers: tuple[str, ...]
    domain: str | None
    # Why the answer is right; only our demo items have it.
    reason: str | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its options in the order in which they are shown."""

    question: Question
    choices: tuple[str, ...]

    @property
    def letter(self) -> str:
        return LETTERS[self.choices.index(self.question.answers[0])]


def questions(tables: Tables) -> Iterator[Question]:
    """Every row; an unusable row raises BadRowError with its number and the field."""
    seen: set[str] = set()
    for number, row in enumerate(tables.rows(SPLIT), start=1):
        question = _Reader(number, row).question()
        if question.id in seen:
            raise BadRowError(_PLACE, number, f"Record ID {question.id!r} is repeated")
        seen.add(question.id)
        yield question


def asked(found: Sequence[Question], *, repeats: int) -> Iterator[tuple[Asked, int]]:
    """Each question once per repeat, with its options in the drawn order, and the number of the repeat."""
    draw = random.Random(_ORDER_SEED)  # noqa: S311 # the official orders
    for repeat in range(repeats):
        for question in found:
            order = draw.sample(range(len(LETTERS)), len(LETTERS))
            yield Asked(question, tuple(question.answers[place] for place in order)), repeat


_PLACE = f"split {SPLIT!r} of gpqa_diamond"


@dataclass(frozen=True, slots=True)
class _Reader:
    number: int
    row: Row

    def question(self) -> Question:
        return Question(
            id=self._text("Record ID").strip(),
            text=self._text("Question"),
            answers=tuple(map(self._text, _ANSWERS)),
            domain=self._optional("High-level domain"),
            reason=self._optional("_reason"),
        )

    def _text(self, field: str) -> str:
        if field not in self.row:
            raise BadRowError(_PLACE, self.number, f"field {field!r} is missing")
        value = self.row[field]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not value.strip():
            fault = f"field {field!r} must be a text that is not empty"
            raise BadRowError(_PLACE, self.number, fault)
        return value

    def _optional(self, field: str) -> str | None:
        value = self.row.get(field)
        return value.strip() if isinstance(value, str) and value.strip() else None
