import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.domain.errors import InvalidValueError
from assay.domain.run import RunSpec
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.sample_size import SampleSizeRequest, StoredSpread, sample_sizes, stored_spread
from assay.engine.stores import Stores
from tests.builders import LetterBenchmark, World, rewired

UNKNOWN = StoredSpread(None, None, (), 0)


def test_without_stored_runs_pairing_is_not_counted_on() -> None:
    found = sample_sizes(SampleSizeRequest(0.7, 0.03), UNKNOWN)
    assert found.paired == found.unpaired
    # Two proportions of 0.7 and 0.67, by the textbook formula: 5,033.
    assert found.paired == pytest.approx(5_033, rel=0.02)
    assert found.equivalent > found.paired


def test_stored_variances_make_it_fewer() -> None:
    wanted = SampleSizeRequest(0.7, 0.03)
    found = sample_sizes(wanted, StoredSpread(0.8, 0.4, ("a", "b"), 1))
    unknown = sample_sizes(wanted, UNKNOWN)
    assert found.paired == pytest.approx(0.4 * unknown.paired, rel=0.03)
    assert found.unpaired == pytest.approx(0.8 * unknown.unpaired, rel=0.02)
    assert found.equivalent < 0.5 * unknown.equivalent


def test_smaller_differences_and_more_certainty_take_more() -> None:
    least = sample_sizes(SampleSizeRequest(0.7, 0.1), UNKNOWN).paired
    for wanted in (
        SampleSizeRequest(0.7, 0.05),
        SampleSizeRequest(0.7, 0.1, alpha=0.01),
        SampleSizeRequest(0.7, 0.1, power=0.95),
        SampleSizeRequest(0.5, 0.1),
    ):
        assert sample_sizes(wanted, UNKNOWN).paired > least


@pytest.mark.parametrize("score", [0.0, 0.2, 0.5, 1.0])
def test_every_score_has_a_size(score: float) -> None:
    found = sample_sizes(SampleSizeRequest(score, 0.5), UNKNOWN)
    assert 0 < found.paired < 100
    # Groups of ten items that always go the same way.
    grouped = sample_sizes(SampleSizeRequest(score, 0.1), StoredSpread(10.0, 10.0, ("a",), 1))
    single = sample_sizes(SampleSizeRequest(score, 0.1), StoredSpread(1.0, 1.0, ("a",), 1))
    assert grouped.paired >= 3 * single.paired
    assert grouped.equivalent >= (3 if 0 < score < 1 else 1) * single.equivalent


@pytest.mark.parametrize(
    ("score", "difference", "alpha", "power", "message"),
    [
        (72, 0.1, 0.05, 0.9, "such as 0.72"),
        (0.7, 0, 0.05, 0.9, "such as 0.02"),
        (0.7, 2, 0.05, 0.9, "such as 0.02"),
        (float("nan"), 0.1, 0.05, 0.9, "score"),
        (0.7, 0.1, 0.5, 0.9, "alpha"),
        (0.7, 0.1, 0.05, 1.0, "power"),
    ],
)
def test_bad_input_is_refused(
    score: float, difference: float, alpha: float, power: float, message: str
) -> None:
    with pytest.raises(InvalidValueError, match=message):
        SampleSizeRequest(score, difference, alpha, power)


async def stored(*models: str, size: int = 200) -> Stores:
    world = World()
    catalogue = Catalogue({"letters": LetterBenchmark(size=size)})
    engine = rewired(world.engine, catalogue=catalogue, models=HttpModelDirectory({}))
    for model in models:
        run = await create_run(engine, RunSpec((model,), ("letters",), data="demo"))
        await execute_run(engine, run.id)
    return engine.stores


async def test_the_spread_of_stored_runs_is_that_of_their_scores() -> None:
    stores = await stored("sim/good", "sim/weak", "sim/oracle", "sim/good?endpoint=2")
    found = await stored_spread(stores, "letters", version="1", data="demo")
    # The oracle is always right: its scores have no spread.
    assert set(found.models) == {"sim/good", "sim/weak", "sim/good?endpoint=2"}
    assert found.single == pytest.approx(1.0, abs=0.06)
    assert found.pairs == 6
    assert found.paired is not None
    assert 0.3 < found.paired < 1.3


async def test_a_model_at_two_endpoints_differs_less_than_two_models() -> None:
    same = await stored_spread(
        await stored("sim/good", "sim/good?endpoint=2"), "letters", version="1", data="demo"
    )
    assert same.paired is not None
    assert same.paired < 0.9


@pytest.mark.parametrize(("version", "data"), [("2", "demo"), ("1", "official")])
async def test_other_versions_and_data_tell_nothing(version: str, data: str) -> None:
    found = await stored_spread(await stored("sim/good"), "letters", version=version, data=data)
    assert found == UNKNOWN


async def test_few_items_tell_nothing() -> None:
    stores = await stored("sim/good", "sim/weak", size=20)
    assert await stored_spread(stores, "letters", version="1", data="demo") == UNKNOWN
