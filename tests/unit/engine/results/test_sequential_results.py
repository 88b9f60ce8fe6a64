import random
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.domain.attempt import Attempt
from assay.domain.errors import InvalidValueError
from assay.domain.run import EvaluationId, Run, RunSpec, Subset
from assay.domain.shard import execution_order_of
from assay.domain.stats import EquivalenceRule, EquivalenceVerdict
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.sequential import SequentialComparison, sequential_comparisons
from assay.engine.stores import Stores
from tests.builders import LetterBenchmark, World, rewired

RULE = EquivalenceRule(margin=0.05)
SIZE = 300


async def stored(*models: str, **changes: Any) -> tuple[Stores, Run]:
    catalogue = Catalogue({"letters": LetterBenchmark(size=SIZE)})
    engine = rewired(World().engine, catalogue=catalogue, models=HttpModelDirectory({}))
    run = await create_run(engine, RunSpec(models, ("letters",), data="demo", **changes))
    return engine.stores, await execute_run(engine, run.id)


async def compared(stores: Stores, *runs: Run, rule: EquivalenceRule = RULE) -> SequentialComparison:
    [found] = await sequential_comparisons(stores, [run.id for run in runs], rule)
    return found


@dataclass
class PartlyStored:
    """What the attempts of a run look like when it was stopped before its end."""

    whole: Any
    is_stored: Callable[[Attempt], bool]

    async def results(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        async for attempt in self.whole.results(evaluation_id):
            if self.is_stored(attempt):
                yield attempt


def stopped(stores: Stores, is_stored: Callable[[Attempt], bool]) -> Stores:
    partly: Any = PartlyStored(stores.attempts, is_stored)
    return replace(stores, attempts=partly)


async def test_a_clear_difference_is_certain_long_before_the_end() -> None:
    stores, run = await stored("sim/good", "sim/weak")
    found = await compared(stores, run)
    assert found.verdict is EquivalenceVerdict.BETTER
    assert found.decided_after is not None
    assert found.decided_after < 100
    assert (found.asked, found.items, found.missing) == (SIZE, SIZE, 0)
    assert found.sequence[-1].limits.low == pytest.approx(found.sequence[-1].limits.high, abs=1e-3)
    lows = [one.limits.low for one in found.sequence]
    assert lows == sorted(lows)
    assert len(found.sequence) <= 31
    assert found.sentence.startswith(
        f"sim/good is better than sim/weak on letters: decided after {found.decided_after} of 300 items."
    )


async def test_where_a_run_was_stopped_and_what_came_back_out_of_turn_changes_no_decision() -> None:
    stores, run = await stored("sim/good", "sim/weak", samples=2)
    whole = await compared(stores, run)
    assert whole.decided_after is not None
    [evaluation, _] = await stores.runs.evaluations(run.id)
    order = [evaluation.item_ids[place] for place in execution_order_of(evaluation, run.spec)]
    source = random.Random(5)  # noqa: S311  a reproducible draw
    for reached in (0, 1, whole.decided_after - 1, whole.decided_after, whole.decided_after + 20):
        early, waited_for = set(order[:reached]), order[reached]
        late = set(source.sample(order[reached + 1 :], 100))
        found = await compared(
            stopped(
                stores,
                lambda one, early=early, late=late, waited_for=waited_for: (
                    one.item_id in early
                    or one.item_id in late
                    or (one.item_id == waited_for and one.sample == 0)
                ),
            ),
            run,
        )
        assert found.asked == reached
        is_decided = reached >= whole.decided_after
        assert found.decided_after == (whole.decided_after if is_decided else None)
        assert found.verdict is (whole.verdict if is_decided else EquivalenceVerdict.INCONCLUSIVE)
    nothing = await compared(stopped(stores, lambda _: False), run)
    assert nothing.sequence == ()
    assert nothing.sentence == "Not decided between sim/good and sim/weak on letters: 0 of 300 items asked."


async def test_attempts_without_a_verdict_count_at_their_worst() -> None:
    stores, run = await stored("sim/oracle", "sim/null")

    class Failed(PartlyStored):
        async def results(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
            async for attempt in self.whole.results(evaluation_id):
                yield replace(attempt, score=None) if attempt.score else attempt

    failing: Any = Failed(stores.attempts, lambda _: True)
    found = await compared(replace(stores, attempts=failing), run)
    assert found.missing == SIZE
    assert found.verdict is EquivalenceVerdict.INCONCLUSIVE
    assert "300 missing scores at the worst" in found.sentence


async def test_models_that_answer_alike_are_equivalent() -> None:
    stores, run = await stored("sim/oracle", "sim/oracle?endpoint=1")
    found = await compared(stores, run)
    assert found.verdict is EquivalenceVerdict.EQUIVALENT
    assert "are equivalent on letters within 5 points: decided after" in found.sentence


async def test_a_subset_says_something_of_the_whole_benchmark() -> None:
    stores, run = await stored("sim/good", "sim/weak", subset=Subset(count=60))
    found = await compared(stores, run)
    assert (found.asked, found.items) == (60, SIZE)
    last = found.sequence[-1].limits
    assert last.high - last.low > 0.05


async def test_all_pairs_share_alpha() -> None:
    stores, run = await stored("sim/good", "sim/weak")
    alone = await compared(stores, run)
    more = await execute_more(stores, "sim/good", "sim/weak", "sim/null", "sim/oracle")
    [one, *others] = await sequential_comparisons(stores, [more.id], RULE)
    assert len(others) == 5
    assert one.decided_after is not None
    assert alone.decided_after is not None
    assert one.decided_after > alone.decided_after


async def execute_more(stores: Stores, *models: str, **changes: Any) -> Run:
    catalogue = Catalogue({"letters": LetterBenchmark(size=SIZE)})
    engine = rewired(World(store=stores).engine, catalogue=catalogue, models=HttpModelDirectory({}))
    run = await create_run(engine, RunSpec(models, ("letters",), data="demo", **changes))
    return await execute_run(engine, run.id)


async def test_runs_of_one_model_are_told_apart_by_their_ids() -> None:
    stores, run = await stored("sim/good")
    again = await execute_more(stores, "sim/good")
    found = await compared(stores, run, again)
    assert f"sim/good ({again.id[:8]})" in found.sentence


async def test_other_items_and_orders_are_refused() -> None:
    stores, run = await stored("sim/good")
    fewer = await execute_more(stores, "sim/weak", subset=Subset(count=60))
    with pytest.raises(InvalidValueError, match="not asked the same"):
        await compared(stores, run, fewer)
    seeded = await execute_more(stores, "sim/weak", subset=Subset(seed="other"))
    with pytest.raises(InvalidValueError, match="one random order"):
        await compared(stores, run, seeded)
