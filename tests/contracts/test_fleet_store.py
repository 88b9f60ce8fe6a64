"""The contract of the store that workers share: new runs and their shards."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any, NoReturn

import pytest
from sqlalchemy import Connection

from assay.domain.errors import ConflictError, StoreError, UnknownNameError
from assay.domain.event import Event, EventType
from assay.domain.run import Evaluation, EvaluationId, Run, RunId, RunSpec, State
from assay.domain.shard import Shard, ShardId, ShardState
from assay.engine.execution.queue import Depth, ShardQueue, Ticket
from assay.engine.stores import Stores
from assay.engine.stores.runs import NewRun, RunFilter
from tests.builders import NOON, Seeded
from tests.contracts import queue_fixtures
from tests.contracts.test_run_store import SUMMARY

queues, queue = queue_fixtures.queues, queue_fixtures.queue
OpenFleet = Callable[[], Awaitable[Stores]]
LATER = NOON + timedelta(hours=1)


def evaluation(name: str, run_id: str = "run-1") -> Evaluation:
    return Seeded().evaluation(id=EvaluationId(name), run_id=RunId(run_id))


def shard(name: str, evaluation_id: str = "e1", run_id: str = "run-1", **changes: Any) -> Shard:
    made = Shard(ShardId(name), RunId(run_id), EvaluationId(evaluation_id), start=0, stop=20)
    return replace(made, **changes)


def new_run(run_id: str = "run-1", *, owner: str | None = None, **changes: Any) -> NewRun:
    """Two evaluations, the first in two shards."""
    run = Run(RunId(run_id), RunSpec(("sim/good",), ("letters",)), NOON, owner=owner)
    first, second = f"{run_id}/e2", f"{run_id}/e1"
    new = NewRun(
        run=run,
        evaluations=(evaluation(first, run_id), evaluation(second, run_id)),
        shards=(
            shard(f"{run_id}/s3", second, run_id),
            shard(f"{run_id}/s2", first, run_id, start=20, stop=30, retries_missing=True),
            shard(f"{run_id}/s1", first, run_id, epoch=4, state=ShardState.DONE),
        ),
        events=(Event(run.id, EventType.RUN_CREATED, NOON, run_id),),
    )
    return replace(new, **changes)


def nothing_more(_transaction: object) -> None:
    """What the tests do within a transaction that they do not care about."""


def fail(_transaction: object) -> NoReturn:
    raise ZeroDivisionError


async def is_empty(store: Stores) -> bool:
    page = await store.runs.page(RunFilter())
    found = [await store.shards.list(RunId("run-1")), await store.runs.evaluations(RunId("run-1"))]
    return page.total == 0 and not any(found) and await store.events.page(None) == ()


async def test_a_run_comes_with_all_that_is_created_with_it(store: Stores) -> None:
    new = new_run()
    assert await store.runs.create(new, within=nothing_more) == new.run
    assert await store.runs.get("run-1") == new.run
    assert await store.runs.evaluations(new.run.id) == new.evaluations
    assert [event.message for event in await store.events.page(new.run.id)] == ["run-1"]
    assert await store.shards.list(new.run.id) == new.shards[::-1], "in order of evaluation and start"
    assert [await store.shards.get(one.id) for one in new.shards] == list(new.shards)


async def test_the_transaction_is_handed_out_while_it_is_open(store: Stores) -> None:
    seen: list[object] = []

    def look(transaction: object) -> None:
        seen.append(isinstance(transaction, Connection) and transaction.in_transaction())

    await store.runs.create(new_run(), within=look)
    await store.shards.reopen(RunId("run-1"), [], at=NOON, events=[], within=look)
    assert seen == [True, True]


async def test_what_fails_within_the_transaction_undoes_it(store: Stores) -> None:
    keyed = new_run(idempotency_key="k", request_hash="h")
    with pytest.raises(ZeroDivisionError):
        await store.runs.create(keyed, within=fail)
    assert await is_empty(store)
    assert await store.runs.create(keyed, within=nothing_more) == keyed.run, "the key was not used up"


@pytest.mark.parametrize(
    ("broken", "error"),
    [
        (new_run(events=(Event(RunId("unknown"), EventType.RUN_CREATED, NOON),)), StoreError),
        (new_run(shards=(shard("s", "unknown"),)), StoreError),
        (new_run(evaluations=(evaluation("e1", "unknown"),), shards=()), StoreError),
        (new_run(evaluations=(evaluation("e1"), evaluation("e1")), shards=()), ConflictError),
    ],
)
async def test_a_run_that_does_not_fit_together_is_refused(
    store: Stores, broken: NewRun, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await store.runs.create(replace(broken, idempotency_key="k"), within=nothing_more)
    assert await is_empty(store)


async def test_ids_that_exist_are_a_conflict(store: Stores) -> None:
    await store.runs.create(new_run(), within=nothing_more)
    with pytest.raises(ConflictError, match="run-1"):
        await store.runs.create(new_run(), within=nothing_more)
    taken = replace(new_run("run-2"), shards=(shard("run-1/s1", "run-2/e1", "run-2"),))
    with pytest.raises(ConflictError, match="shard of run 'run-2'"):
        await store.runs.create(taken, within=nothing_more)
    assert (await store.runs.page(RunFilter())).total == 1
    assert (await store.shards.get(ShardId("run-1/s1"))).run_id == "run-1"


async def test_the_same_request_under_the_same_key_gives_the_same_run(store: Stores) -> None:
    await store.runs.create(new_run(idempotency_key="k", request_hash="h"), within=nothing_more)
    started = await store.runs.set_state(RunId("run-1"), State.RUNNING, at=LATER)
    again = new_run("run-2", idempotency_key="k", request_hash="h")
    assert await store.runs.create(again, within=fail) == started
    assert (await store.runs.page(RunFilter())).total == 1
    assert len(await store.events.page(None)) == 1


async def test_another_request_under_the_same_key_is_a_conflict(store: Stores) -> None:
    await store.runs.create(new_run(idempotency_key="k", request_hash="h"), within=nothing_more)
    for request_hash in ("other", None):
        other = new_run("run-2", idempotency_key="k", request_hash=request_hash)
        with pytest.raises(ConflictError, match="'k' was used for another request"):
            await store.runs.create(other, within=fail)
    assert (await store.runs.page(RunFilter())).total == 1


async def test_keys_are_those_of_their_owner(store: Stores) -> None:
    for number, owner in enumerate((None, "ann", "bob")):
        keyed = new_run(f"run-{number}", owner=owner, idempotency_key="k", request_hash=str(number))
        await store.runs.create(keyed, within=nothing_more)
        repeated = replace(keyed, run=replace(keyed.run, id=RunId("other")))
        assert await store.runs.create(repeated, within=fail) == keyed.run
    for number in (3, 4):
        await store.runs.create(new_run(f"run-{number}"), within=nothing_more)
    assert (await store.runs.page(RunFilter())).total == 5


async def test_of_concurrent_requests_under_one_key_one_creates_the_run(
    store: Stores, reopen: OpenFleet
) -> None:
    stores = [store, await reopen(), await reopen()]
    created: list[object] = []
    runs = await asyncio.gather(
        *(
            each.runs.create(
                new_run(f"run-{number}", idempotency_key="k", request_hash="h"), within=created.append
            )
            for number, each in enumerate(stores * 4)
        )
    )
    assert len(created) == len({run.id for run in runs}) == (await store.runs.page(RunFilter())).total == 1


async def test_shards_are_queued_with_their_run_or_not_at_all(store: Stores, queue: ShardQueue) -> None:
    new = new_run()
    tickets = [Ticket(one.id, one.epoch, "sim/good") for one in new.shards]

    def submit(transaction: object) -> None:
        queue.submit_within(transaction, tickets)

    unknown = Event(RunId("unknown"), EventType.RUN_REQUEUED, NOON)
    with pytest.raises(StoreError):
        await store.runs.create(replace(new, events=(unknown,)), within=submit)
    assert await queue.depth() == Depth(queued=0, running=0)
    await store.runs.create(new, within=submit)
    assert await queue.waiting() == tuple(one.id for one in new.shards)

    await queue.withdraw(tickets)
    tickets = [replace(one, epoch=9) for one in tickets]
    with pytest.raises(StoreError):
        await store.shards.reopen(new.run.id, new.shards, at=NOON, events=[unknown], within=submit)
    assert await queue.depth() == Depth(queued=0, running=0)
    await store.shards.reopen(new.run.id, new.shards, at=NOON, events=[], within=submit)
    assert await queue.depth() == Depth(queued=3, running=0)


async def test_a_shard_that_is_not_stored_is_unknown(store: Stores) -> None:
    for asked in (store.shards.get, partial(store.shards.finish, epoch=0)):
        with pytest.raises(UnknownNameError, match="no shard 'nothing'"):
            await asked(ShardId("nothing"))
    assert await store.shards.list(RunId("nothing")) == ()


async def ended(store: Stores, new: NewRun, state: State) -> None:
    """Bring the run and both its evaluations to an end."""
    await store.runs.create(new, within=nothing_more)
    await store.runs.set_state(new.run.id, State.RUNNING, at=NOON)
    await store.runs.set_state(new.run.id, state, at=NOON, error="broke")
    for one in new.evaluations:
        await store.runs.set_evaluation_state(one.id, State.RUNNING, at=NOON)
        await store.runs.set_evaluation_state(one.id, state, at=NOON, error="broke", summary=SUMMARY)


@pytest.mark.parametrize("state", [State.PAUSED, State.SUCCEEDED, State.FAILED, State.CANCELED])
async def test_reopening_queues_the_run_and_the_evaluations_of_the_shards(
    store: Stores, state: State
) -> None:
    new = new_run()
    await ended(store, new, state)
    given = [replace(new.shards[2], epoch=5, state=ShardState.OPEN, retries_missing=True)]
    event = Event(new.run.id, EventType.RUN_REQUEUED, LATER, "again")
    run = await store.shards.reopen(new.run.id, given, at=LATER, events=[event], within=nothing_more)
    assert run == await store.runs.get("run-1")
    assert run == replace(new.run, state=State.QUEUED, started_at=NOON)
    reopened, other = await store.runs.evaluations(new.run.id)
    expected = replace(new.evaluations[0], state=State.QUEUED, started_at=NOON, summary=SUMMARY)
    assert reopened == expected
    assert (other.state, other.error) == (state, "broke")
    assert await store.shards.list(new.run.id) == (given[0], new.shards[1], new.shards[0])
    assert (await store.events.page(new.run.id))[-1].message == "again"


async def test_reopening_leaves_what_is_queued_or_running(store: Stores) -> None:
    new = new_run()
    await store.runs.create(new, within=nothing_more)
    started = await store.runs.set_state(new.run.id, State.RUNNING, at=NOON)
    evaluation_id = new.evaluations[0].id
    running = await store.runs.set_evaluation_state(evaluation_id, State.RUNNING, at=NOON, error="odd")
    run = await store.shards.reopen(new.run.id, new.shards, at=LATER, events=[], within=nothing_more)
    assert run == started
    assert await store.runs.evaluations(new.run.id) == (running, new.evaluations[1])


async def test_a_reopening_that_fails_changes_nothing(store: Stores) -> None:
    new = new_run()
    await ended(store, new, State.FAILED)
    before = (
        await store.runs.get("run-1"),
        await store.runs.evaluations(new.run.id),
        await store.events.page(None),
    )
    given = [replace(one, epoch=9) for one in new.shards]
    event = Event(new.run.id, EventType.RUN_REQUEUED, LATER)
    with pytest.raises(ZeroDivisionError):
        await store.shards.reopen(new.run.id, given, at=LATER, events=[event], within=fail)
    after = (
        await store.runs.get("run-1"),
        await store.runs.evaluations(new.run.id),
        await store.events.page(None),
    )
    assert after == before
    assert await store.shards.list(new.run.id) == new.shards[::-1]
    with pytest.raises(UnknownNameError, match="no run 'nothing'"):
        await store.shards.reopen(RunId("nothing"), [], at=LATER, events=[], within=fail)


async def test_the_last_shard_of_an_evaluation_is_told_so(store: Stores) -> None:
    parts = tuple(shard(f"s{number}", start=number, stop=number + 1) for number in range(3))
    new = new_run(evaluations=(evaluation("e1"), evaluation("e2")), shards=(*parts, shard("other", "e2")))
    await store.runs.create(new, within=nothing_more)
    answers = [
        await store.shards.finish(ShardId(name), epoch=0) for name in ("s1", "s1", "s0", "s2", "s2", "s0")
    ]
    assert answers == [False, False, False, True, True, True]
    assert await store.shards.list(new.run.id) == (
        *(replace(one, state=ShardState.DONE) for one in parts),
        shard("other", "e2"),
    )


async def test_whoever_had_a_shard_before_does_not_finish_it_for_the_next(store: Stores) -> None:
    new = new_run(evaluations=(evaluation("e1"),), shards=(shard("s0"),))
    await store.runs.create(new, within=nothing_more)
    again = replace(new.shards[0], epoch=1)
    await store.shards.reopen(new.run.id, [again], at=LATER, events=[], within=nothing_more)

    assert not await store.shards.finish(again.id, epoch=0)
    assert await store.shards.get(again.id) == again
    assert await store.shards.finish(again.id, epoch=1)


async def test_of_shards_that_finish_at_once_one_is_the_last(store: Stores, reopen: OpenFleet) -> None:
    names = [f"e{number}" for number in range(20)]
    parts = [shard(f"{name}/{part}", name, start=part, stop=part + 1) for name in names for part in range(3)]
    new = new_run(evaluations=tuple(evaluation(name) for name in names), shards=tuple(parts))
    await store.runs.create(new, within=nothing_more)
    stores = [store, await reopen(), await reopen()]
    for name in names:
        finishing = (
            each.shards.finish(ShardId(f"{name}/{part}"), epoch=0) for part, each in enumerate(stores)
        )
        assert sorted(await asyncio.gather(*finishing)) == [False, False, True]


async def test_a_closed_evaluation_has_no_open_shard_left(store: Stores) -> None:
    new = new_run(
        evaluations=(evaluation("e1"), evaluation("e2")), shards=(shard("s0"), shard("other", "e2"))
    )
    await store.runs.create(new, within=nothing_more)
    await store.shards.close(new.evaluations[0].id)
    assert await store.shards.list_open([new.run.id]) == (shard("other", "e2"),)
