"""Runs that name the items they ask, in place of a subset."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from assay.domain.benchmark import ItemId, ItemSet, Tables
from assay.domain.errors import DataChangedError, InvalidValueError
from assay.domain.run import Evaluation, RunSpec, Subset
from assay.domain.shard import execution_order_of
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.lazy_items import LazyItems
from assay.engine.planning.plan import PlannedBenchmark
from tests.builders import CARD, LetterBenchmark, World, rewired


class LazyLetters(LetterBenchmark):
    def load(self, tables: Tables) -> ItemSet:
        found = super().load(tables)
        by_id = {item.id: item for item in found.items}
        return replace(found, items=LazyItems(list(by_id), by_id.__getitem__))


class OtherLetters(LetterBenchmark):
    def load(self, tables: Tables) -> ItemSet:
        found = super().load(tables)
        return replace(
            found, items=tuple(replace(item, id=ItemId(f"other-{item.id}")) for item in found.items)
        )


BENCHMARKS = {
    "letters": LetterBenchmark(size=40),
    "lazy": LazyLetters(card=replace(CARD, name="lazy"), size=40),
    "other": OtherLetters(card=replace(CARD, name="other"), size=40),
}


def engine() -> Engine:
    return rewired(World().engine, catalogue=Catalogue(BENCHMARKS))


def spec(benchmarks: Sequence[str], items: Sequence[str] = (), **settings: Any) -> RunSpec:
    named = tuple(map(ItemId, items))
    return RunSpec(("test/scripted",), tuple(benchmarks), data="demo", items=named, **settings)


async def plan(*benchmarks: str, items: Sequence[str] = ()) -> tuple[PlannedBenchmark, ...]:
    return await engine().planner.plan(spec(benchmarks, items))


@pytest.mark.parametrize("benchmark", ["letters", "lazy"])
async def test_only_the_named_items_are_asked_in_the_order_of_the_data(benchmark: str) -> None:
    [planned] = await plan(benchmark, items=["30", "7", "12"])
    assert list(planned.item_ids) == ["7", "12", "30"]
    assert [item.id for item in planned.items] == ["7", "12", "30"]
    assert len(planned.item_set.items) == 40


@pytest.mark.parametrize("benchmark", ["letters", "lazy"])
async def test_the_fingerprint_is_that_of_the_items_however_they_were_named(benchmark: str) -> None:
    everything = [str(number) for number in range(40)]
    fingerprints = [
        (await plan(benchmark, items=items))[0].fingerprint
        for items in ([], everything[::-1], ["1", "2"], ["2", "1"], ["1", "3"])
    ]
    unnamed, all_named, pair, turned, another = fingerprints
    assert unnamed == all_named
    assert pair == turned
    assert len({unnamed.value, pair.value, another.value}) == 3


async def test_each_benchmark_asks_those_that_it_has() -> None:
    first, second = await plan("letters", "other", items=["3", "other-5"])
    assert (list(first.item_ids), list(second.item_ids)) == (["3"], ["other-5"])


async def test_an_id_of_no_benchmark_is_refused_with_the_nearest() -> None:
    message = "no benchmark of the run has these items: 'othr-17' (did you mean 'other-17'"
    with pytest.raises(InvalidValueError, match=re.escape(message)):
        await plan("letters", "other", items=["3", "other-5", "othr-17"])


async def test_a_benchmark_without_any_of_them_is_refused() -> None:
    message = "'other' has none of the items that the run names: 'other_5' (did you mean 'other-5'"
    with pytest.raises(InvalidValueError, match=re.escape(message)):
        await plan("letters", "other", items=["other_5", "3"])


async def test_of_many_unknown_ids_a_few_are_listed() -> None:
    with pytest.raises(InvalidValueError) as refused:
        await plan("letters", items=[f"{'unknown' * 100}-{number}" for number in range(1_000)])
    assert "and 995 more" in refused.value.message
    assert len(refused.value.message) < 1_000


@pytest.mark.parametrize("subset", [Subset(percent=50), Subset(count=2)])
def test_named_items_and_a_subset_exclude_each_other(subset: Subset) -> None:
    with pytest.raises(InvalidValueError, match="named items or a subset"):
        spec(["letters"], ["1"], subset=subset)


async def created(wired: Engine, asked: RunSpec) -> Evaluation:
    run = await create_run(wired, asked)
    [evaluation] = await wired.stores.runs.evaluations(run.id)
    return evaluation


async def test_named_items_are_asked_in_the_order_of_a_draw() -> None:
    asked = spec(["letters"], [str(number) for number in range(0, 40, 2)], item_order="draw")
    order = execution_order_of(await created(engine(), asked), asked)
    assert sorted(order) == list(range(20))
    assert list(order) != list(range(20))


async def test_a_run_is_planned_again_with_the_items_it_names() -> None:
    wired = engine()
    asked = spec(["letters"], ["3", "5"])
    evaluation = await created(wired, asked)
    planned = await wired.planner.replan(asked, evaluation)
    assert list(planned.item_ids) == ["3", "5"]
    with pytest.raises(DataChangedError, match="items_checksum"):
        await engine().planner.replan(spec(["letters"], ["3"]), evaluation)
