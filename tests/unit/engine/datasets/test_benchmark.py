"""A data set as a benchmark: what is asked, what is graded, what is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.datasets.library import FileDataLibrary
from assay.domain.benchmark import Cue, ItemId, Need, Panel, Services
from assay.domain.calls.messages import Completion, Generation, Json, Prompt, ToolCall
from assay.domain.dataset_report import Grading
from assay.domain.datasets.dataset import DataSet, DatasetId, Line
from assay.domain.datasets.grading_rule import Rule
from assay.domain.errors import GraderError, InvalidValueError
from assay.domain.outcome import Outcome
from assay.domain.run import RunSpec, Subset
from assay.engine.datasets.benchmark import DatasetBenchmark
from assay.engine.grading.grade import DirectGrader, verdict
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.plan import plan_benchmarks
from tests.builders import NOON, called_here

DATASET = DataSet(DatasetId("ds_1"), "mine", 2, "mine.jsonl", "a" * 64, 10, 3, NOON, Grading.CONTAINS)
BODY: dict[str, Json] = {
    "model": "theirs",
    "messages": [{"role": "user", "content": "Hi"}],
    "tools": [{"type": "function"}],
    "temperature": 0.7,
}


class Lines:
    def __init__(self, *lines: Line) -> None:
        self.read: list[str] = []
        self._lines = {line.item_id: line for line in lines}

    def ids(self) -> Sequence[ItemId]:
        return list(self._lines)

    def categories(self, ids: Sequence[ItemId]) -> Mapping[ItemId, str]:
        return {}

    def line(self, item_id: ItemId, *, grading: Grading) -> Line:
        assert grading is DATASET.grading
        self.read.append(item_id)
        return self._lines[item_id]


def line(name: str, expected: Json = None, grading: Grading | None = None) -> Line:
    return Line(ItemId(name), BODY, expected, () if grading is None else (Rule(grading),))


def benchmark(*lines: Line) -> DatasetBenchmark:
    return DatasetBenchmark(DATASET, Lines(*lines))


async def graded(one: DatasetBenchmark, completion: Completion, services: Services | None = None) -> object:
    (item,) = one.load(one.own_data("official").tables).items
    grade = await verdict(DirectGrader(one, services or Services(isolated=called_here)), item, completion)
    return grade.outcome


def test_the_whole_request_is_asked_and_only_read_when_it_is_needed() -> None:
    lines = Lines(line("a"), line("b"), line("c"))
    one = DatasetBenchmark(DATASET, lines)
    item_set = one.load(one.own_data("official").tables)
    assert (len(item_set.items), lines.read) == (3, [])
    prompt = item_set.prompt(item_set.items[1])
    assert (prompt.body, prompt.text, lines.read) == (BODY, "Hi", ["b"])


def test_a_plan_of_a_large_set_reads_no_line(tmp_path: Path) -> None:
    lines = Lines(*(line(str(number)) for number in range(25_000)))
    spec = RunSpec(("sim/null",), (DATASET.benchmark,), subset=Subset(percent=90))
    (planned,) = plan_benchmarks(
        spec,
        catalogue=Catalogue({}).extended([DatasetBenchmark(DATASET, lines)]),
        library=FileDataLibrary(tmp_path),
    )
    assert (len(planned.items), len(planned.item_set.items), lines.read) == (22_500, 25_000, [])
    assert planned.items[0].id == planned.item_ids[0]
    assert planned.by_id[planned.item_ids[3]].id == planned.item_ids[3]
    assert planned.fingerprint.data_checksum == DATASET.sha256


def test_other_data_cannot_take_its_place() -> None:
    with pytest.raises(InvalidValueError, match="no demo items"):
        benchmark().own_data("demo")


async def test_a_line_with_a_key_is_graded_and_one_without_is_answered() -> None:
    right, wrong = Completion("It is Paris."), Completion("It is Rome.")
    keyed = benchmark(line("a", "paris", Grading.CONTAINS))
    assert await graded(keyed, right) is Outcome.CORRECT
    assert await graded(keyed, wrong) is Outcome.INCORRECT
    for reply in (right, Completion("", refusal="no"), Completion("", finish_reason="length")):
        assert await graded(benchmark(line("a")), reply) is Outcome.ANSWERED
    assert await graded(keyed, Completion("", refusal="no")) is Outcome.REFUSED


async def test_tool_calls_are_kept_with_the_answer() -> None:
    one = benchmark(line("a"))
    (item,) = one.load(one.own_data("official").tables).items
    grade = await one.grade(item, Completion("", tool_calls=(ToolCall("1", "f", "{}"),)), Services())
    assert grade.details == {
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    }


class SaysCorrect:
    model = "sim/judge"

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        assert "names the capital" in prompt.text
        assert "It is Paris." in prompt.text
        return Completion("CORRECT")


async def test_a_requirement_is_put_to_the_judge() -> None:
    one = benchmark(line("a", "names the capital", Grading.JUDGE))
    reply = Completion("It is Paris.")
    assert await graded(one, reply, Services(panel=Panel((SaysCorrect(),)))) is Outcome.CORRECT
    with pytest.raises(GraderError, match="judge"):
        await graded(one, reply)


def test_its_card_says_what_it_needs() -> None:
    judged = DatasetBenchmark(replace(DATASET, graders={Grading.JUDGE: 1}), Lines())
    assert judged.card.needs == {Need.JUDGE}
    assert (benchmark().card.name, benchmark().card.metric) == ("dataset:mine@2", "none")
