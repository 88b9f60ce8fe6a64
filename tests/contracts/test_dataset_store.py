"""The contract of the store for users' data sets."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Usage
from assay.domain.dataset_report import Fault, Grading
from assay.domain.datasets.dataset import DataSet, DatasetId, DatasetRef
from assay.domain.errors import UnknownNameError
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId
from assay.domain.summary import Tokens
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter
from assay.engine.stores.runs import RunFilter
from tests.builders import NOON, Seeded, attempt

OpenFleet = Callable[[], Awaitable[Stores]]

FIRST = DataSet(
    id=DatasetId("ds_1"),
    name="capitals",
    version=0,
    file_name="capitals \U0001f30d\x00.jsonl",
    sha256="a" * 64,
    size_bytes=3_000_000_000,
    count=2,
    created_at=NOON,
    grading=Grading.CONTAINS,
    graders={Grading.CONTAINS: 1, Grading.JUDGE: 1},
    models=("sim/good",),
    owner="ada",
    warnings=(Fault(3, "line", "the field '\x00' is not known and left out"),),
    warning_count=107,
)


def dataset(identity: str, **changes: Any) -> DataSet:
    return replace(FIRST, id=DatasetId(identity), **changes)


@pytest.fixture
async def store(reopen: OpenFleet) -> AsyncGenerator[Stores]:
    opened = await reopen()
    yield opened
    await opened.close()


async def test_a_data_set_comes_back_as_it_was_stored(store: Stores, reopen: OpenFleet) -> None:
    stored = await store.datasets.add(FIRST)
    assert stored == replace(FIRST, version=1)
    assert await (await reopen()).datasets.get(FIRST.id) == stored


async def test_the_same_content_again_is_the_same_version(store: Stores) -> None:
    first = await store.datasets.add(FIRST)
    assert await store.datasets.add(dataset("ds_2", file_name="other.jsonl")) == first
    assert await store.datasets.list() == (first,)


async def test_another_content_or_grader_is_the_next_version_of_the_name(store: Stores) -> None:
    await store.datasets.add(FIRST)
    changed = await store.datasets.add(dataset("ds_2", sha256="b" * 64))
    regraded = await store.datasets.add(dataset("ds_3", sha256="b" * 64, grading=Grading.EXACT))
    # What was uploaded before, but is not the newest, is what the user wants now.
    again = await store.datasets.add(dataset("ds_4"))
    other = await store.datasets.add(dataset("ds_5", name="rivers"))
    assert [one.version for one in (changed, regraded, again, other)] == [2, 3, 4, 1]


async def test_names_mean_the_newest_version_and_numbers_a_certain_one(store: Stores) -> None:
    first = await store.datasets.add(FIRST)
    second = await store.datasets.add(dataset("ds_2", sha256="b" * 64))
    assert await store.datasets.named(DatasetRef("capitals")) == second
    assert await store.datasets.named(DatasetRef("capitals", 1)) == first
    with pytest.raises(UnknownNameError, match="did you mean 'capitals'"):
        await store.datasets.named(DatasetRef("capital"))
    with pytest.raises(UnknownNameError, match="capitals@3"):
        await store.datasets.named(DatasetRef("capitals", 3))


async def test_lists_the_newest_first(store: Stores) -> None:
    await store.datasets.add(FIRST)
    await store.datasets.add(dataset("ds_0", name="rivers", created_at=NOON + timedelta(seconds=1)))
    assert [one.name for one in await store.datasets.list()] == ["rivers", "capitals"]


async def test_a_removed_version_is_gone_and_its_number_is_not_used_again(store: Stores) -> None:
    await store.datasets.add(FIRST)
    await store.datasets.add(dataset("ds_2", sha256="b" * 64))
    await store.datasets.remove(DatasetId("ds_2"), at=NOON)
    assert [one.id for one in await store.datasets.list()] == ["ds_1"]
    assert (await store.datasets.named(DatasetRef("capitals"))).version == 1
    with pytest.raises(UnknownNameError):
        await store.datasets.get(DatasetId("ds_2"))
    with pytest.raises(UnknownNameError):
        await store.datasets.remove(DatasetId("ds_2"), at=NOON)
    assert (await store.datasets.add(dataset("ds_3", sha256="c" * 64))).version == 3


async def test_removing_says_whether_the_content_is_needed_no_more(store: Stores) -> None:
    await store.datasets.add(FIRST)
    await store.datasets.add(dataset("ds_2", name="copy"))
    assert not await store.datasets.remove(DatasetId("ds_1"), at=NOON)
    assert await store.datasets.remove(DatasetId("ds_2"), at=NOON)


async def test_uploads_at_once_get_versions_of_their_own(store: Stores) -> None:
    added = await asyncio.gather(
        *(store.datasets.add(dataset(f"ds_{n}", sha256=str(n) * 64)) for n in range(5))
    )
    assert sorted(one.version for one in added) == [1, 2, 3, 4, 5]


async def test_attempts_of_certain_items_alone(store: Stores) -> None:
    seeded = Seeded()
    evaluation = seeded.evaluation()
    await store.runs.add(seeded.run, [evaluation], [])
    await store.attempts.add([attempt(name) for name in ("a", "b", "c")])
    wanted = AttemptFilter(items=(ItemId("c"), ItemId("a"), ItemId("missing")))
    assert [one.item_id for one in await store.attempts.page(evaluation.id, wanted)] == ["a", "c"]
    assert await store.attempts.count(evaluation.id, wanted) == 2


async def test_runs_are_found_by_the_beginning_of_a_benchmarks_name(store: Stores) -> None:
    seeded = Seeded()
    await store.runs.add(seeded.run, [seeded.evaluation(benchmark="dataset:capitals@1")], [])
    assert (await store.runs.page(RunFilter(benchmark_prefix="dataset:"))).total == 1
    assert (await store.runs.page(RunFilter(benchmark_prefix="Dataset:"))).total == 0
    assert (await store.runs.page(RunFilter(benchmark_prefix="capitals"))).total == 0


async def test_tokens_are_summed_by_evaluation(store: Stores) -> None:
    seeded = Seeded()
    evaluation, other = seeded.evaluation(), seeded.evaluation(id=EvaluationId("evaluation-2"))
    await store.runs.add(seeded.run, [evaluation, other], [])
    await store.attempts.add([attempt("a"), attempt("b", usage=Usage(input_tokens=5)), attempt("c")])
    assert await store.attempts.tokens_used([seeded.run.id]) == {evaluation.id: Tokens(input=25, output=4)}


async def test_an_answer_without_a_key_stays_as_a_verdict_does(store: Stores) -> None:
    seeded = Seeded()
    evaluation = seeded.evaluation()
    await store.runs.add(seeded.run, [evaluation], [])
    answered = attempt("a", outcome=Outcome.ANSWERED, score=None)
    await store.attempts.add([answered, attempt("b", outcome=Outcome.TIMEOUT, score=None)])
    await store.attempts.add([attempt("a", outcome=Outcome.TIMEOUT, score=None)])
    assert (await store.attempts.get(evaluation.id, answered.key)).outcome is Outcome.ANSWERED
    assert await store.attempts.missing(evaluation.id) == {attempt("b").key}
    assert await store.attempts.keys(evaluation.id, verdicts_only=True) == {answered.key}


async def test_answers_are_read_in_the_order_of_their_keys_whatever_their_length(store: Stores) -> None:
    seeded = Seeded()
    evaluation = seeded.evaluation()
    await store.runs.add(seeded.run, [evaluation], [])
    long = "\ud83c\udf0d " * 5_000
    failed = attempt("d", outcome=Outcome.TIMEOUT, score=None)
    await store.attempts.add([attempt("b", answer=long), attempt("a", answer="short"), failed])
    assert [one async for one in store.attempts.answers(evaluation.id)] == [
        (AttemptKey(ItemId("a"), 0), "short"),
        (AttemptKey(ItemId("b"), 0), long),
    ]
