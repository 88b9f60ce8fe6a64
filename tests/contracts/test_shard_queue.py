"""The contract of the queue of shards: in memory, on SQLite, on Postgres."""

import asyncio

import pytest
from sqlalchemy import Connection, text

from assay.domain.errors import InvalidValueError
from assay.domain.shard import ShardId
from assay.engine.execution.queue import Depth, Lane, ShardQueue, Ticket
from tests.contracts import queue_fixtures
from tests.contracts.queue_fixtures import OpenQueues, Shards, is_idle, tickets, until

migrated_database = queue_fixtures.migrated_database
queues, queue, shards = queue_fixtures.queues, queue_fixtures.queue, queue_fixtures.shards


async def test_every_ticket_is_delivered_once_on_the_callers_loop(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    names = [f"s{number}" for number in range(12)]
    await queues.submit(*tickets(*names))
    assert await queue.depth() == Depth(queued=12, running=0)

    queues.start(queue, shards)
    await until(lambda: is_idle(queue))

    assert sorted(shards.finished) == sorted(shards.started) == sorted(names)
    assert shards.loop is asyncio.get_running_loop()


async def test_the_order_is_priority_then_age(queues: OpenQueues, queue: ShardQueue, shards: Shards) -> None:
    await queues.submit(*tickets("late-1", "late-2", priority=5), *tickets("first", priority=-3))
    await queues.submit(*tickets("second", "third"))
    await queues.submit(*tickets("late-3", "moved", "late-4", priority=5))
    await queue.reprioritise(tickets("moved", "unknown"), -1)
    order = ("first", "moved", "second", "third", "late-1", "late-2", "late-3", "late-4")

    assert await queue.waiting() == order

    queues.start(queue, shards, slots=1)
    await until(lambda: is_idle(queue))
    assert tuple(shards.started) == order


async def test_a_worker_for_some_models_leaves_the_others_waiting(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    """And among its own it keeps to its slots."""
    own = {"hold-1": "a/one", "hold-2": "a/one", "hold-3": "a/two", "hold-4": "a/two"}
    asked = {"other-1": "b/one", **own, "other-2": "a/one/more"}
    await queues.submit(*[Ticket(ShardId(name), 0, model) for name, model in asked.items()])

    queues.start(queue, shards, slots=3, lane=Lane(models=("a/one", "a/two")))
    await until(lambda: len(shards.started) == 3)
    shards.release.set()
    await until(lambda: len(shards.finished) == 4)

    assert sorted(shards.started) == sorted(own)
    assert shards.most_running == 3
    assert await queue.waiting() == ("other-1", "other-2")


async def test_a_worker_for_some_owners_takes_theirs_in_order(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    """Whatever models they ask, and nobody's runs neither."""
    asked = [("b/one", "ann"), ("a/one", "bob"), ("a/one", None), ("a/one", "ann"), ("a/two", "ann [x]")]
    await queues.submit(
        *[
            Ticket(ShardId(f"s{number}"), 0, model, owner=owner, priority=-int(number == 3))
            for number, (model, owner) in enumerate(asked)
        ]
    )

    queues.start(queue, shards, slots=1, lane=Lane(owners=("ann", "ann [x]")))
    await until(lambda: len(shards.finished) == 3)

    assert shards.started == ["s3", "s0", "s4"]
    assert await queue.waiting() == ("s1", "s2")


async def test_a_lane_of_models_and_owners_is_both(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    asked = {"mine": ("a/one", "ann"), "model": ("a/one", "bob"), "owner": ("a/two", "ann")}
    await queues.submit(
        *[Ticket(ShardId(name), 0, model, owner=owner) for name, (model, owner) in asked.items()]
    )

    queues.start(queue, shards, lane=Lane(models=("a/one",), owners=("ann",)))
    await until(lambda: shards.finished == ["mine"])

    assert await queue.waiting() == ("model", "owner")


async def test_hundreds_of_tickets_keep_their_order(queues: OpenQueues, queue: ShardQueue) -> None:
    names = tuple(f"s{number}" for number in range(600))
    await queues.submit(*tickets(*names))
    await queues.submit(*tickets("next"))

    assert await queue.waiting() == (*names, "next")
    await queue.withdraw(tickets(*names))
    assert await queue.waiting() == ("next",)


async def test_a_shard_is_delivered_again_in_a_new_epoch(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    await queues.submit(*tickets("s"))
    queues.start(queue, shards)
    await until(lambda: is_idle(queue))
    await queues.submit(*tickets("s", epoch=1))
    await until(lambda: shards.finished == ["s", "s"])


async def test_tickets_are_part_of_the_stores_transaction(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    assert queues.database is not None
    queues.start(queue, shards)

    def fail(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE mark (id INTEGER)"))
        queue.submit_within(connection, tickets("rolled-back"))
        raise ZeroDivisionError

    def succeed(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE mark (id INTEGER)"))
        queue.submit_within(connection, tickets("kept-1", "kept-2"))

    with pytest.raises(ZeroDivisionError):
        await queues.database.write(fail)
    await queues.database.write(succeed)

    await until(lambda: len(shards.finished) == 2)
    await until(lambda: is_idle(queue))
    assert sorted(shards.started) == ["kept-1", "kept-2"]


async def test_only_a_connection_is_a_transaction(queue: ShardQueue) -> None:
    with pytest.raises(InvalidValueError, match="transaction"):
        queue.submit_within(object(), tickets("s"))


async def test_withdrawn_while_queued_never_starts(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    await queues.submit(*tickets("gone", "stays"))
    await queue.withdraw(tickets("gone", "unknown"))
    assert await queue.waiting() == ("stays",)

    queues.start(queue, shards)
    await until(lambda: is_idle(queue))
    assert shards.started == ["stays"]


async def test_withdrawn_while_running_is_cancelled_within_two_seconds(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    held = tickets(*(f"hold-{number}" for number in range(20)))
    await queues.submit(*held)
    queues.start(queue, shards, slots=21)
    await until(lambda: len(shards.started) == 20)

    await (await queues.open()).withdraw(held)
    await until(lambda: len(shards.cancelled) == 20)

    await until(lambda: is_idle(queue))
    await queues.submit(*tickets("after"))
    await until(lambda: shards.finished == ["after"])


async def test_a_closed_queue_starts_nothing_until_it_is_opened(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    await queue.set_open(is_open=False)
    reopened = await queues.open()
    queues.start(reopened, shards)
    await queues.submit(*tickets("s"))
    await asyncio.sleep(0.8)
    assert not shards.started

    await queue.set_open(is_open=True)
    await until(lambda: shards.finished == ["s"])


async def test_no_more_than_the_slots_of_the_worker_run_at_once(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    await queues.submit(*tickets(*(f"hold-{number}" for number in range(8))))
    queues.start(queue, shards, slots=3)
    await until(lambda: len(shards.started) == 3)
    assert await queue.depth() == Depth(queued=5, running=3)

    shards.release.set()
    await until(lambda: is_idle(queue))
    assert shards.most_running == 3


async def test_drain_lets_shards_finish_and_hands_back_the_rest(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    await queues.submit(*tickets("hold-1", "hold-2", "hold-3"))
    work = queues.start(queue, shards, slots=2)
    await until(lambda: len(shards.started) == 2)
    await queue.drain(grace_s=0.1)

    assert work.done()
    assert sorted(shards.cancelled) == ["hold-1", "hold-2"]
    assert await queue.waiting() == ("hold-1", "hold-2", "hold-3")

    queues.start(queue, shards, slots=2)
    await until(lambda: len(shards.started) == 4)
    draining = asyncio.create_task(queue.drain(grace_s=10))
    await asyncio.sleep(0)
    shards.release.set()
    await draining
    assert sorted(shards.finished) == ["hold-1", "hold-2"]
    assert await queue.waiting() == ("hold-3",)
