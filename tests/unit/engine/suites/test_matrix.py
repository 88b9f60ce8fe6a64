"""Which runs ask what is missing of a suite, and what the store has of it."""

from decimal import Decimal

import pytest

from assay.domain.calls.messages import Generation
from assay.domain.run import Budget, Description, ModelEndpoint, RunSpec, State, Subset
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.stores.attempts import Spent
from assay.engine.suites.matrix import cells, remaining, specs, stored
from assay.engine.suites.suite import Scope, Suite, SuiteBenchmark, SuiteModel
from tests.builders import World

SCOPE = Scope(data="demo")
A, B = SuiteModel("a", "sim/a"), SuiteModel("b", "sim/b")
X, Y = SuiteBenchmark("x"), SuiteBenchmark("y")
Z = SuiteBenchmark("z", Scope(samples=2))
TAG = "suite:s"


def asked(suite: Suite, *missing: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Models and benchmarks of each run; `missing` has places as `label benchmark`."""
    every = {(model.label, one.name) for model in suite.models for one in suite.benchmarks}
    places = {(one.split()[0], one.split()[1]) for one in missing} or every
    found = specs(suite, places, budget=Budget())
    assert sorted(place for _, own in found for place in own) == sorted(places)
    return [(spec.models, spec.benchmarks) for spec, _ in found]


def test_equal_settings_share_one_run() -> None:
    assert asked(Suite("s", (A, B), (X, Y))) == [(("sim/a", "sim/b"), ("x", "y"))]


def test_benchmarks_with_samples_of_their_own_have_a_run_of_their_own() -> None:
    runs = asked(Suite("s", (A, B), (X, Z)))
    assert runs == [(("sim/a", "sim/b"), ("x",)), (("sim/a", "sim/b"), ("z",))]


@pytest.mark.parametrize(
    "other",
    [
        SuiteModel("b", "sim/b", generation=Generation(temperature=0.5)),
        SuiteModel("b", "sim/b", generation=Generation(options={"top_k": 1})),
        SuiteModel("b", "sim/b", headers={"X-A": "1"}),
        SuiteModel("b", "sim/a"),
    ],
)
def test_models_that_are_asked_differently_or_twice_have_runs_of_their_own(other: SuiteModel) -> None:
    assert asked(Suite("s", (A, other), (X,))) == [(("sim/a",), ("x",)), ((other.model,), ("x",))]


def test_addresses_differ_within_a_run() -> None:
    other = SuiteModel("b", "sim/b", ModelEndpoint("http://gpu:1/v1"))
    [(spec, _)] = specs(Suite("s", (A, other), (X,)), {("a", "x"), ("b", "x")}, budget=Budget())
    assert (spec.endpoint_of("sim/a").base_url, spec.endpoint_of("sim/b").base_url) == (
        None,
        "http://gpu:1/v1",
    )


def test_only_what_is_missing_is_asked() -> None:
    suite = Suite("s", (A, B), (X, Y))
    assert asked(suite, "b y") == [(("sim/b",), ("y",))]
    assert asked(suite, "a x", "b x", "b y") == [(("sim/a",), ("x",)), (("sim/b",), ("x", "y"))]


def test_the_budget_is_what_all_runs_may_use() -> None:
    budget = Budget(Decimal(2), 100)
    assert remaining(budget, []) == budget
    assert remaining(budget, [Spent(Decimal("0.5"), 10), Spent(Decimal(1), 20)]) == Budget(Decimal("0.5"), 70)
    assert remaining(budget, [Spent(Decimal(2), 0)]) is None
    assert remaining(budget, [Spent(Decimal(0), 100)]) is None
    assert remaining(Budget(), [Spent(Decimal(9), 9)]) == Budget()


def suite_of(world: World, *, samples: int = 1) -> Suite:
    model = SuiteModel("m", world.model.model)
    scope = Scope(Subset(), samples=samples, data="demo")
    tags = Description.of("s", "", (TAG,))
    return Suite("s", (model,), (SuiteBenchmark("letters", scope),), description=tags)


async def made(world: World, suite: Suite, *, executed: bool = True) -> str:
    every = {(model.label, one.name) for model in suite.models for one in suite.benchmarks}
    [(spec, _)] = specs(suite, every, budget=Budget())
    engine = world.engine
    run = await create_run(engine, spec, description=suite.description)
    if executed:
        await execute_run(engine, run.id)
    return run.id


async def test_the_newest_equal_result_is_taken() -> None:
    world = World()
    suite = suite_of(world)
    every = await cells(world.engine, suite)
    assert (await stored(world.store, every, tag=TAG)).taken == {}
    await made(world, suite)
    world.clock.passed_s += 10
    newest = await made(world, suite)
    found = await stored(world.store, every, tag=TAG)
    assert [one.run_id for one in found.taken.values()] == [newest]
    assert found.unfinished == ()


async def test_another_number_of_samples_is_another_question() -> None:
    world = World()
    await made(world, suite_of(world))
    every = await cells(world.engine, suite_of(world, samples=2))
    assert every[0].attempts == 8
    assert (await stored(world.store, every, tag=TAG)).taken == {}


@pytest.mark.parametrize(
    ("tag", "state", "count"),
    [
        (TAG, State.PAUSED, 1),
        (TAG, State.FAILED, 1),
        (TAG, State.CANCELED, 0),
        ("suite:other", State.PAUSED, 0),
    ],
)
async def test_a_stopped_run_of_the_suite_goes_on_and_no_other(tag: str, state: State, count: int) -> None:
    world = World()
    suite = suite_of(world)
    run_id = await made(world, suite, executed=False)
    await world.store.runs.set_state((await world.store.runs.get(run_id)).id, state, at=world.clock.now())
    found = await stored(world.store, await cells(world.engine, suite), tag=tag)
    assert found.taken == {}
    assert [run.id for run in found.unfinished] == [run_id] * count


async def test_a_stopped_run_that_asks_more_than_the_suite_stays_as_it_is() -> None:
    world = World()
    suite = suite_of(world)
    spec = RunSpec(models=(world.model.model, "sim/other"), benchmarks=("letters",), data="demo")
    run = await create_run(world.engine, spec, description=suite.description)
    await world.store.runs.set_state(run.id, State.PAUSED, at=world.clock.now())
    found = await stored(world.store, await cells(world.engine, suite), tag=TAG)
    assert found.unfinished == ()
