"""The rows of the official data, checked field by field."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.domain.benchmark import Row, Tables
from assay.domain.calls.messages import Json
from assay.domain.errors import BadRowError

LETTERS = "ABCDEFGHIJ"
_NO_OPTION = "N/A"


@dataclass(frozen=True, slots=True)
class Question:
    """One row; `worked` is the reasoning that leads to the answer, empty in the test split."""

    id: str
    text: str
    options: tuple[str, ...]
    answer: str
    # In one official row it is not the index of the letter: the letter decides, the index is for guesses.
    answer_index: int
    category: str
    worked: str
    # A right and a wrong answer; only our demo items have them.
    right: str | None
    wrong: str | None

    @property
    def letters(self) -> str:
        return LETTERS[: len(self.options)]


def questions(tables: Tables, split: str) -> Iterator[Question]:
    """Every row of the split; an unusable row raises BadRowError with its number and the field."""
    for number, row in enumerate(tables.rows(split), start=1):
        yield _Reader(split, number, row).question()


@dataclass(frozen=True, slots=True)
class _Reader:
    split: str
    number: int
    row: Row

    def question(self) -> Question:
        options = self._options()
        return Question(
            id=self._id(),
            text=self._text("question"),
            options=options,
            answer=self._answer(LETTERS[: len(options)]),
            answer_index=self._index(),
            category=self._text("category"),
            worked=self._text("cot_content", default=""),
            right=self._text("_right") if "_right" in self.row else None,
            wrong=self._text("_wrong") if "_wrong" in self.row else None,
        )

    def _id(self) -> str:
        value = self._value("question_id")
        if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
            raise self._fault("question_id", f"must be a whole number or a text, not {value!r}")
        return str(value)

    def _options(self) -> tuple[str, ...]:
        value = self._value("options")
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise self._fault("options", f"must be a list of texts, not {value!r}")
        options = tuple(option for option in value if isinstance(option, str) and option != _NO_OPTION)
        if len(options) != sum(option != _NO_OPTION for option in value):
            raise self._fault("options", "must hold texts only")
        if not 1 < len(options) <= len(LETTERS):
            raise self._fault("options", f"must hold 2 to {len(LETTERS)} options, not {len(options)}")
        return options

    def _answer(self, letters: str) -> str:
        value = self._text("answer")
        if len(value) != 1 or value not in letters:
            raise self._fault("answer", f"must be one of the letters {letters}, not {value!r}")
        return value

    def _index(self) -> int:
        value = self._value("answer_index")
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._fault("answer_index", f"must be a whole number, not {value!r}")
        return value

    def _text(self, field: str, *, default: str | None = None) -> str:
        value = self.row.get(field, default) if default is not None else self._value(field)
        if not isinstance(value, str) or (not value.strip() and value != default):
            raise self._fault(field, f"must be a text that is not empty, not {value!r}")
        return value

    def _value(self, field: str) -> Json:
        if field not in self.row:
            raise self._fault(field, "is missing")
        return self.row[field]

    def _fault(self, field: str, fault: str) -> BadRowError:
        return BadRowError(f"split {self.split!r} of mmlu_pro", self.number, f"field {field!r} {fault}")
