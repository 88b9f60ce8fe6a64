"""The rows of the official data, checked field by field."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import orjson

from assay.benchmarks.livecodebench.private_tests import packed_bytes
from assay.domain.benchmark import Row, Tables
from assay.domain.calls.messages import Json
from assay.domain.errors import BadRowError

SPLIT = "test"
Kind = Literal["stdin", "functional"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One row; its hidden tests stay compressed, since some unpack to hundreds of MB."""

    id: str
    title: str
    text: str
    platform: str
    contest_date: datetime
    difficulty: str
    starter_code: str
    public_tests: str
    # JSON text as in the row, or the compressed bytes of a pickled text.
    private_tests: str | bytes
    # The function that the tests call, for functional problems.
    function: str | None
    # A right and a wrong answer; only our demo items have them.
    right: str | None
    wrong: str | None

    @property
    def kind(self) -> Kind:
        return "stdin" if self.function is None else "functional"


def problems(tables: Tables) -> Iterator[Problem]:
    """Every row; an unusable row raises BadRowError with its number and the field."""
    for number, row in enumerate(tables.rows(SPLIT), start=1):
        yield _Reader(number, row).problem()


@dataclass(frozen=True, slots=True)
class _Reader:
    number: int
    row: Row

    def problem(self) -> Problem:
        return Problem(
            id=self._text("question_id"),
            title=self._text("question_title"),
            text=self._text("question_content"),
            platform=self._text("platform"),
            contest_date=self._date(),
            difficulty=self._text("difficulty"),
            starter_code=self._text("starter_code", may_be_empty=True),
            public_tests=self._text("public_test_cases"),
            private_tests=self._private_tests(),
            function=self._function(),
            right=self._text("_right") if "_right" in self.row else None,
            wrong=self._text("_wrong") if "_wrong" in self.row else None,
        )

    def _date(self) -> datetime:
        value = self._text("contest_date")
        try:
            return datetime.fromisoformat(value).replace(tzinfo=None)
        except ValueError as error:
            raise self._fault(
                "contest_date", f"must be a date like 2024-07-01T00:00:00, not {value!r}"
            ) from error

    def _private_tests(self) -> str | bytes:
        value = self._text("private_test_cases")
        if value.lstrip().startswith("["):
            return value
        try:
            return packed_bytes(value)
        except ValueError as error:
            raise self._fault("private_test_cases", str(error)) from error

    def _function(self) -> str | None:
        value = self._value("metadata")
        try:
            metadata: Json = orjson.loads(value) if isinstance(value, str) else value
        except ValueError as error:
            raise self._fault("metadata", f"is not JSON: {error}") from error
        if not isinstance(metadata, Mapping):
            raise self._fault("metadata", "must be a JSON object")
        name = metadata.get("func_name")
        if name is not None and not isinstance(name, str):
            raise self._fault("metadata", f"must name a function as text, not {name!r}")
        return name

    def _text(self, field: str, *, may_be_empty: bool = False) -> str:
        value = self._value(field)
        if not isinstance(value, str) or not (value.strip() or may_be_empty):
            raise self._fault(field, f"must be a text that is not empty, not {value!r:.100}")
        return value

    def _value(self, field: str) -> Json:
        if field not in self.row:
            raise self._fault(field, "is missing")
        return self.row[field]

    def _fault(self, field: str, fault: str) -> BadRowError:
        return BadRowError(f"split {SPLIT!r} of livecodebench", self.number, f"field {field!r} {fault}")


@dataclass(frozen=True, slots=True)
class Test:
    """The input of a program and its expected output."""

    __test__ = False  # not a pytest class

    given: str
    expected: str


def read_tests(text: str) -> list[Test]:
    """The tests of one JSON text; raises ValueError."""
    found: Json = json.loads(text)
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise ValueError("the tests are not a JSON list")  # noqa: TRY004 # a fault of the data
    return [_test(one) for one in found]


def _test(found: Json) -> Test:
    if isinstance(found, Mapping):
        given, expected = found.get("input"), found.get("output")
        if isinstance(given, str) and isinstance(expected, str):
            return Test(given, expected)
    raise ValueError("a test must have the texts 'input' and 'output'")
