"""The contract of what lists and overviews show of runs."""

from dataclasses import replace
from datetime import timedelta

import pytest

from assay.domain.errors import UnknownNameError
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId, Run, RunId, RunSpec, State
from assay.domain.shard import Shard, ShardId, ShardState
from assay.engine.stores import Stores
from assay.engine.stores.runs import NewRun, RunFilter, StoredPage
from tests.builders import NOON, Seeded, attempt
from tests.contracts.test_run_store import SUMMARY

OLD, NEW = RunId("aaaa-old"), RunId("bbbb-new")
DONE, OPEN = EvaluationId("done"), EvaluationId("open")


@pytest.fixture
async def seeded(store: Stores) -> Stores:
    """A run that has ended with a summary, and a later one that is under way."""
    for minutes, (run_id, name) in enumerate(((OLD, DONE), (NEW, OPEN))):
        model = f"sim/{name}"
        run = Run(run_id, RunSpec((model,), ("letters",)), NOON + timedelta(minutes=minutes))
        evaluation = Seeded(run).evaluation(id=name, model=model)
        shards = tuple(Shard(ShardId(f"{name}/{start}"), run_id, name, start, start + 2) for start in (0, 2))
        await store.runs.create(NewRun(run, (evaluation,), shards, ()), within=lambda _transaction: None)
        await store.runs.set_state(run_id, State.RUNNING, at=NOON)
        await store.runs.set_evaluation_state(name, State.RUNNING, at=NOON)
    await store.attempts.add([attempt(item, evaluation_id=OPEN) for item in "012"])
    await store.runs.set_evaluation_state(DONE, State.SUCCEEDED, at=NOON, summary=SUMMARY)
    await store.runs.set_state(OLD, State.SUCCEEDED, at=NOON)
    return store


async def test_runs_come_with_their_evaluations_and_what_has_ended(seeded: Stores) -> None:
    page = await seeded.runs.page_with_outcomes(RunFilter())
    assert page.total == 2
    new, old = page.runs
    assert (new.run, old.run) == (await seeded.runs.get(NEW), await seeded.runs.get(OLD))
    assert [one.id for one in new.evaluations] == [OPEN]
    assert new.evaluations == (await seeded.runs.evaluations_of([NEW]))[NEW]
    assert new.outcomes == {OPEN: {Outcome.CORRECT: 3}}
    assert old.outcomes == {DONE: SUMMARY.outcomes}
    assert new.completed(new.evaluations[0]) == 3
    assert await seeded.runs.page_with_outcomes(RunFilter(limit=1, offset=1)) == StoredPage((old,), 2)
    assert await seeded.runs.get_with_outcomes("bbbb") == new
    with pytest.raises(UnknownNameError):
        await seeded.runs.get_with_outcomes("cccc")


async def test_what_changed_is_seen_by_the_next_reader(seeded: Stores) -> None:
    before = await seeded.runs.get_with_outcomes(NEW)
    assert await seeded.runs.get_with_outcomes(NEW) == before
    await seeded.attempts.add([attempt("3", evaluation_id=OPEN, outcome=Outcome.INCORRECT)])
    after = await seeded.runs.get_with_outcomes(NEW)
    assert after.outcomes == {OPEN: {Outcome.CORRECT: 3, Outcome.INCORRECT: 1}}
    await seeded.runs.set_control(NEW, priority=7)
    await seeded.runs.set_state(NEW, State.PAUSED, at=NOON, error="why not")
    changed = (await seeded.runs.get_with_outcomes(NEW)).run
    spec = replace(before.run.spec, priority=7)
    assert changed == replace(before.run, state=State.PAUSED, error="why not", spec=spec)


async def test_runs_of_exactly_one_model(seeded: Stores) -> None:
    async def found(model: str) -> list[str]:
        page = await seeded.runs.page_with_outcomes(RunFilter(exact_model=model))
        assert page.total == len(page.runs)
        return [one.run.id for one in page.runs]

    assert await found("sim/open") == [NEW]
    assert await found("sim/ope") == await found("SIM/OPEN") == []


async def test_runs_are_counted_in_each_state(seeded: Stores) -> None:
    counts = await seeded.runs.count_by_state()
    assert counts == dict.fromkeys(State, 0) | {State.SUCCEEDED: 1, State.RUNNING: 1}


async def test_open_shards_of_several_runs(seeded: Stores) -> None:
    await seeded.shards.finish(ShardId("open/0"), epoch=0)
    found = await seeded.shards.list_open([OLD, NEW])
    assert {shard.id for shard in found} == {"done/0", "done/2", "open/2"}
    assert {shard.state for shard in found} == {ShardState.OPEN}
    assert await seeded.shards.list_open([]) == ()
