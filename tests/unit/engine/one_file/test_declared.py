"""A declared benchmark: its prompts, its items, its grades, and what cannot be declared."""

from collections.abc import Mapping
from typing import Any

import pytest

import assay
from assay.adapters.datasets.row_reader import FileRowReader
from assay.domain.benchmark import Grade, Item, Row, Services
from assay.domain.calls.messages import Completion
from assay.domain.datasets.benchmark_file import BenchmarkFile, FileRef
from assay.domain.errors import BadRowError, DataMissingError, GraderError, InvalidValueError
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.engine.grading.grade import DirectGrader, verdict
from assay.engine.one_file.benchmark import FileBenchmark
from assay.engine.one_file.declaration import Declaration
from assay.engine.one_file.template import filled
from tests.builders import called_here

ROWS: list[Mapping[str, Json]] = [
    {"country": "France", "capital": "Paris", "continent": "Europe"},
    {"country": "Japan", "capital": "Tokyo", "continent": "Asia"},
]
PROMPT = "Capital of {country}?"


def declared(**changes: Any) -> Declaration:
    given: dict[str, Any] = {"rows": ROWS, "prompt": PROMPT, "expected": "capital", "grader": "contains"}
    given |= changes

    @assay.benchmark(**given)
    def capitals() -> None:
        """Capitals of countries."""

    return capitals


def runnable(declaration: Declaration) -> FileBenchmark:
    return FileBenchmark(declaration, BenchmarkFile("/x/capitals.py", "ab" * 32), "/x", FileRowReader())


def items(declaration: Declaration) -> list[Item]:
    one = runnable(declaration)
    return list(one.load(one.own_data("official").tables).items)


async def graded(declaration: Declaration, answer: str) -> Grade:
    one = runnable(declaration)
    grader = DirectGrader(one, Services(isolated=called_here))
    return await verdict(grader, items(declaration)[0], Completion(answer))


def test_rows_become_items() -> None:
    one = runnable(declared(system="Reply in {continent}.", category="continent", id="country"))
    item_set = one.load(one.own_data("official").tables)
    [first, second] = item_set.items
    assert (first.id, first.expected, first.category) == ("France", "Paris", "Europe")
    assert (second.id, second.category) == ("Japan", "Asia")
    prompt = item_set.prompt(first)
    assert prompt.body == {
        "messages": [
            {"role": "system", "content": "Reply in Europe."},
            {"role": "user", "content": "Capital of France?"},
        ]
    }
    assert item_set.cue(first).right == "Paris"
    assert [item.id for item in items(declared())] == ["row-1", "row-2"]
    assert (one.card.name, one.card.version, one.card.description) == (
        "file:capitals",
        "abababababab",
        "Capitals of countries.",
    )


def test_rows_may_come_from_a_function() -> None:
    assert len(items(declared(rows=lambda: ROWS))) == 2


def test_a_prompt_may_be_a_function_of_the_row() -> None:
    messages = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "?"}]

    def prompt(row: Row) -> Any:
        return messages if row["country"] == "Japan" else "Hello"

    one = runnable(declared(prompt=prompt))
    item_set = one.load(one.own_data("official").tables)
    bodies = [item_set.prompt(item).body for item in item_set.items]
    assert bodies == [{"messages": [{"role": "user", "content": "Hello"}]}, {"messages": messages}]


async def test_named_graders_and_functions_grade() -> None:
    assert (await graded(declared(), "It is Paris")).outcome is Outcome.CORRECT
    assert (await graded(declared(grader=["contains", "exact"]), "It is Paris")).score == 0.5

    @assay.benchmark(rows=ROWS, prompt=PROMPT, expected="capital")
    def share(answer: str, expected: str, row: Mapping[str, str]) -> float:
        return len(answer) / len(expected) if row["country"] == "France" else 0.0

    assert (await graded(share, "Par")).score == 0.6
    assert share("Par", "Paris", {"country": "France"}) == 0.6

    @assay.benchmark(rows=ROWS, prompt=PROMPT)
    async def whole(completion: Completion) -> Grade:
        return assay.Grade(assay.Outcome.UNPARSED, 0.0, explanation=completion.answer)

    assert (await graded(whole, "Hm")).explanation == "Hm"


async def test_a_grader_that_fails_or_returns_nonsense_gives_no_verdict() -> None:
    @assay.benchmark(rows=ROWS, prompt=PROMPT)
    def failing(answer: str) -> bool:
        return bool(1 / len(answer.strip("x")))

    with pytest.raises(GraderError, match=r"failing\(\) failed: ZeroDivisionError"):
        await graded(failing, "x")

    @assay.benchmark(rows=ROWS, prompt=PROMPT)
    def nothing(answer: str) -> None:
        del answer

    with pytest.raises(GraderError, match=r"nothing\(\) must return true, false or a number from 0 to 1"):
        await graded(nothing, "x")


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"grader": None}, "has no grader"),
        ({"grader": "nearly"}, "the grader of 'capitals' must be one of exact"),
        ({"expected": None}, "needs to know what is right"),
        ({"name": "my capitals"}, "cannot be named 'my capitals'"),
        ({"temperature": 9}, "temperature must be 0 to 2"),
    ],
)
def test_what_cannot_be_declared_says_why(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(InvalidValueError, match=fault):
        declared(**changes)


def test_a_function_may_take_known_things_alone() -> None:
    with pytest.raises(InvalidValueError, match="takes 'reply'; it may take answer, expected, row"):

        @assay.benchmark(rows=ROWS, prompt=PROMPT)
        def graded_so(reply: str) -> bool:
            return bool(reply)

    with pytest.raises(InvalidValueError, match="has two graders"):

        @assay.benchmark(rows=ROWS, prompt=PROMPT, grader="exact", expected="capital")
        def graded_twice(answer: str) -> bool:
            return bool(answer)


def town_of(row: Row) -> str:
    return str(row["town"])


BAD_ROWS: list[tuple[dict[str, Any], str]] = [
    ({"prompt": "{town}"}, "line 1: the prompt names the field 'town', and the row has country, capital"),
    ({"prompt": town_of}, "line 1: its prompt cannot be made: KeyError: 'town'"),
    ({"expected": "town"}, "line 1: the row has no field 'town'"),
    ({"grader": "number"}, "line 1: what is expected 'Paris' is not a number"),
    ({"id": "continent", "rows": [ROWS[0], ROWS[0]]}, "line 2: its id 'Europe' is that of a row before"),
    ({"rows": ["France"]}, "line 1: a row must be a dictionary, not str"),
    ({"rows": [{"country": {1, 2}}]}, "line 1: has a value that is not JSON"),
]


@pytest.mark.parametrize(("changes", "fault"), BAD_ROWS)
def test_a_row_that_cannot_be_used_is_named(changes: dict[str, Any], fault: str) -> None:
    with pytest.raises(BadRowError) as raised:
        items(declared(**changes))
    assert fault in raised.value.message


def test_no_rows_are_no_benchmark() -> None:
    with pytest.raises(DataMissingError):
        items(declared(rows=[]))


def test_braces_in_a_field_are_text() -> None:
    assert filled("{a} {{b}} {c}", {"a": "{c}", "c": ["x"]}) == '{c} {b} ["x"]'


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("./a.py", FileRef("./a.py")),
        ("a/b.yaml:hard", FileRef("a/b.yaml", "hard")),
        ("tasks/T.YML", FileRef("tasks/T.YML")),
        ("gpqa_diamond", None),
        ("file:capitals", None),
        ("dataset:a@1", None),
        ("a.py:", None),
    ],
)
def test_how_a_file_is_named(text: str, ref: FileRef | None) -> None:
    assert FileRef.parse(text) == ref
