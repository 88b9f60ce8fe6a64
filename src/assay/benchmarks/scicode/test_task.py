"""The benchmark's demo items, rows, conversation and figures; grading is tested where there is a sandbox."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.benchmarks.scicode.conversation import replies_in
from assay.benchmarks.scicode.rows import Problem, problem_of
from assay.benchmarks.scicode.task import benchmark
from assay.domain.benchmark import (
    Cue,
    Environment,
    HasEnvironment,
    HasParts,
    Item,
    ItemId,
    ItemSet,
    Result,
    Row,
    Services,
)
from assay.domain.calls.messages import Completion, Json, Prompt
from assay.domain.errors import BadRowError, DataMissingError, GraderError
from assay.domain.outcome import Outcome
from assay.domain.programs.toolchain import Toolchain

DEMO = benchmark.load(benchmark.demo_tables())
FIRST = DEMO.items[0]
NO_CUE = Cue()


class Given:
    def __init__(self, *rows: Row) -> None:
        self._rows = rows

    def rows(self, split: str):  # noqa: ANN201 - an iterator of rows
        assert split == "test"
        return iter(self._rows)


class Bare:
    """Packages, and whatever files are named."""

    def __init__(self, *files: str) -> None:
        self._files = files

    def python(self, benchmark: str, environment: Environment) -> str:
        assert environment.requirements
        return f"/{benchmark}/python"

    def file(self, benchmark: str, name: str) -> Path | None:
        return Path("/", benchmark, name) if name in self._files else None

    def toolchain(self, name: str, *, is_primed: bool = False) -> Toolchain:
        raise NotImplementedError


def official_row(step: Mapping[str, Json] | None = None) -> Row:
    steps = [
        {key: value for key, value in one.items() if not key.startswith("_")} for one in _sub_steps(FIRST)
    ]
    for one in steps:
        one["ground_truth_code"] = None
    steps[0] |= step or {}
    return {**FIRST.fields, "sub_steps": steps}


def _sub_steps(item: Item) -> list[dict[str, Json]]:
    steps = item.fields["sub_steps"]
    assert isinstance(steps, list)
    return [dict(step) for step in steps if isinstance(step, dict)]


def test_demo_items_have_several_steps_and_their_answers() -> None:
    assert len(DEMO.items) >= 4
    for item in DEMO.items:
        assert len(benchmark.parts(item)) >= 2
        cue = DEMO.cue(item)
        assert cue.right is not None
        assert cue.wrong is not None
        assert cue.right != cue.wrong


def loaded(**step: Json) -> ItemSet:
    return benchmark.load(Given(official_row(step)))


BAD: list[tuple[str, Json, str]] = [
    ("step_number", "", "'step_number' must be a text"),
    ("test_cases", [], "'test_cases' must have at least one test"),
    ("test_cases", [3], "'test_cases' must hold texts"),
    ("ground_truth_code", 3, "'ground_truth_code' must be a text"),
    ("function_header", None, "'function_header' must be a text"),
]


@pytest.mark.parametrize(("field", "value", "fault"), BAD)
def test_a_bad_row_is_named_with_its_field(field: str, value: Json, fault: str) -> None:
    with pytest.raises(BadRowError, match=fault):
        loaded(**{field: value})


def test_a_problem_may_be_there_once() -> None:
    with pytest.raises(BadRowError, match="is repeated"):
        benchmark.load(Given(official_row(), official_row()))


async def test_each_step_is_asked_with_the_models_own_code_before_it() -> None:
    asked: list[str] = []

    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        asked.append(prompt.text)
        assert cue.right is not None
        return Completion(
            f"Here:\n```python\nimport os\ndef mine_{len(asked)}(): pass\n```",
            reasoning=f"thought {len(asked)}",
            finish_reason="length" if len(asked) == 1 else "stop",
        )

    assert DEMO.converse is not None
    answer = await DEMO.converse(FIRST, ask, Services())
    first, second = asked
    assert first == DEMO.prompt(FIRST).text
    assert "mine_1" not in first
    assert "def mine_1(): pass" in second
    assert "import os" not in second
    assert answer.is_cut
    assert answer.reasoning == "thought 1\n\nthought 2"
    problem = problem_of(FIRST.fields)
    assert list(replies_in(answer.answer, problem)) == ["901.1", "901.2"]


def test_the_template_with_background_tells_it() -> None:
    with_background = benchmark.variants["with_background"].load(benchmark.demo_tables())
    background = "symplectic"
    assert background in with_background.prompt(with_background.items[0]).text
    assert background not in DEMO.prompt(FIRST).text


def test_prewritten_steps_are_given_and_not_asked() -> None:
    row = official_row({"step_number": "76.3", "test_cases": []})
    item_set = benchmark.load(Given(row))
    (item,) = item_set.items
    assert benchmark.parts(item) == ["901.2"]
    assert "def generate_dna(N: int, PWM: dict)" in item_set.prompt(item).text


def test_answers_come_whole_or_in_parts() -> None:
    problem: Problem = problem_of(FIRST.fields)
    whole = benchmark.whole(FIRST, {"901.2": "b", "901.1": "a"})
    assert replies_in(whole, problem) == {"901.1": "a", "901.2": "b"}
    assert replies_in("some text", problem) == {"901.1": "some text"}
    assert replies_in("[1]", problem) == {"901.1": "[1]"}
    assert replies_in(json.dumps({"901.1": 3, "999.1": "x"}), problem) == {}


def test_what_is_missing_is_said_before_anything_is_asked() -> None:
    official = benchmark.load(Given(official_row())).items
    benchmark.check_prepared(DEMO.items, Bare())
    benchmark.check_prepared(official, Bare("test_data.h5"))
    with pytest.raises(DataMissingError, match=r"assay data prepare scicode --file test_data\.h5"):
        benchmark.check_prepared(official, Bare())


async def test_grading_needs_a_sandbox_and_packages() -> None:
    with pytest.raises(GraderError, match="packages of its own"):
        await benchmark.grade(FIRST, Completion(""), Services())
    with pytest.raises(GraderError, match="sandbox"):
        await benchmark.grade(FIRST, Completion(""), Services(prepared=Bare()))


def result(item_id: str, verdicts: Mapping[str, str], prewritten: list[str] | None = None) -> Result:
    steps: dict[str, Json] = dict(verdicts)
    details: dict[str, Json] = {"steps": steps, "prewritten": list(prewritten or [])}
    solved = float(set(verdicts.values()) == {"pass"})
    return Result(ItemId(item_id), 0, Outcome.CORRECT, solved, f"{len(verdicts)} steps", None, details)


def test_both_official_aggregates() -> None:
    figures = benchmark.metrics(
        [
            result("1", {"1.1": "pass", "1.2": "pass"}),
            result("13", {"13.1": "pass", "13.2": "pass"}, ["13.6"]),
            result("2", {"2.1": "pass", "2.2": "fail", "2.3": "time out"}),
            Result(ItemId("3"), 0, Outcome.REFUSED, 0.0, "1 step", None, {}),
        ]
    )
    assert {name: round(figure.value, 4) for name, figure in figures.items()} == {
        "main_problems": 2 / 4,
        "sub_problems": round(5 / 8, 4),
        "main_problems_inspect_ai": 1 / 4,
        "sub_problems_inspect_ai": round(5 / 9, 4),
    }
    assert figures["sub_problems"].clusters == 4


def test_it_offers_what_the_commands_look_for() -> None:
    assert isinstance(benchmark, HasEnvironment)
    assert isinstance(benchmark, HasParts)
    assert {name: one.card.size for name, one in benchmark.variants.items()} == {
        "with_background": 65,
        "dev": 15,
        "dev_with_background": 15,
    }
