"""The contract of the queue of shards: in memory, on SQLite, on Postgres."""

import asyncio

import pytest
from sqlalchemy import Connection, text

from assay.adapters.store.engine import connected
from assay.adapters.store.url import located
from assay.domain.errors import InvalidValueError
from assay.engine.execution.queue import Depth, Lane, ShardId, ShardQueue, Ticket
from tests.contracts import queue_bench
from tests.contracts.queue_bench import Bench, Shards, is_idle, on_databases, tickets, until

migrated_file, migrated_database = queue_bench.migrated_file, queue_bench.migrated_database
bench, queue, shards = queue_bench.bench, queue_bench.queue, queue_bench.shards


async def test_every_ticket_is_delivered_once_on_the_callers_loop(
    bench: Bench, queue: ShardQueue, shards: Shards
) -> None:
    names = [f"s{number}" for number in range(12)]
    await queue.submit(tickets(*names))
    assert await queue.depth() == Depth(queued=12, running=0)

    bench.start(queue, shards)
    await until(lambda: is_idle(queue))

    assert sorted(shards.finished) == sorted(shards.started) == sorted(names)
    assert shards.loop is asyncio.get_running_loop()


async def test_the_order_is_priority_then_age(bench: Bench, queue: ShardQueue, shards: Shards) -> None:
    await queue.submit(tickets("late-1", "late-2", priority=5) + tickets("first", priority=-3))
    await queue.submit(tickets("second", "third"))
    await queue.submit(tickets("late-3", "moved", "late-4", priority=5))
    await queue.reprioritise(tickets("moved", "late-1", "unknown"), -1)
    await queue.reprioritise(tickets("late-1"), 5)
    await queue.submit(tickets("first", "late-1", priority=9))
    order = ("first", "moved", "second", "third", "late-1", "late-2", "late-3", "late-4")

    assert await queue.waiting(100) == order
    assert await queue.waiting(2) == order[:2]

    bench.start(queue, shards, slots=1)
    await until(lambda: is_idle(queue))
    assert tuple(shards.started) == order


async def test_a_worker_for_some_models_leaves_the_others_waiting(
    bench: Bench, queue: ShardQueue, shards: Shards
) -> None:
    """And among its own it keeps to its slots."""
    own = {"hold-1": "a/one", "hold-2": "a/one", "hold-3": "a/two", "hold-4": "a/two"}
    asked = {"other-1": "b/one", **own, "other-2": "a/one/more"}
    await queue.submit([Ticket(ShardId(name), 0, model) for name, model in asked.items()])

    bench.start(queue, shards, slots=3, lane=Lane(models=("a/one", "a/two")))
    await until(lambda: len(shards.started) == 3)
    shards.release.set()
    await until(lambda: len(shards.finished) == 4)

    assert sorted(shards.started) == sorted(own)
    assert shards.most_running == 3
    assert await queue.waiting(10) == ("other-1", "other-2")


async def test_a_worker_for_some_owners_takes_theirs_in_order(
    bench: Bench, queue: ShardQueue, shards: Shards
) -> None:
    """Whatever models they ask, and nobody's runs neither."""
    asked = [("b/one", "ann"), ("a/one", "bob"), ("a/one", None), ("a/one", "ann"), ("a/two", "ann [x]")]
    await queue.submit(
        [
            Ticket(ShardId(f"s{number}"), 0, model, owner=owner, priority=-int(number == 3))
            for number, (model, owner) in enumerate(asked)
        ]
    )

    bench.start(queue, shards, slots=1, lane=Lane(owners=("ann", "ann [x]")))
    await until(lambda: len(shards.finished) == 3)

    assert shards.started == ["s3", "s0", "s4"]
    assert await queue.waiting(10) == ("s1", "s2")


async def test_a_lane_of_models_and_owners_is_both(bench: Bench, queue: ShardQueue, shards: Shards) -> None:
    asked = {"mine": ("a/one", "ann"), "model": ("a/one", "bob"), "owner": ("a/two", "ann")}
    await queue.submit(
        [Ticket(ShardId(name), 0, model, owner=owner) for name, (model, owner) in asked.items()]
    )

    bench.start(queue, shards, lane=Lane(models=("a/one",), owners=("ann",)))
    await until(lambda: shards.finished == ["mine"])

    assert await queue.waiting(10) == ("model", "owner")


async def test_hundreds_of_tickets_keep_their_order(queue: ShardQueue) -> None:
    names = tuple(f"s{number}" for number in range(600))
    await queue.submit(tickets(*names))
    await queue.submit(tickets("next"))

    assert await queue.waiting(1000) == (*names, "next")
    await queue.withdraw(tickets(*names))
    assert await queue.waiting(1000) == ("next",)


async def test_a_ticket_handed_in_again_changes_nothing_and_a_new_epoch_runs_again(
    bench: Bench, queue: ShardQueue, shards: Shards
) -> None:
    await queue.submit(tickets("hold", "hold"))
    await queue.submit(tickets("hold", "other"))
    assert await queue.depth() == Depth(queued=2, running=0)

    bench.start(queue, shards, slots=1)
    await until(lambda: shards.started == ["hold"])
    await queue.submit(tickets("hold"))
    shards.release.set()
    await until(lambda: is_idle(queue))
    await queue.submit(tickets("hold", "other"))
    await queue.submit(tickets("hold", epoch=1))
    await until(lambda: is_idle(queue))

    assert shards.started == ["hold", "other", "hold"]


@on_databases
async def test_tickets_are_part_of_the_stores_transaction(
    bench: Bench, queue: ShardQueue, shards: Shards, store_url: str
) -> None:
    database = connected(located(store_url))
    bench.start(queue, shards)

    def fail(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE mark (id INTEGER)"))
        queue.submit_within(connection, tickets("rolled-back"))
        raise ZeroDivisionError

    def succeed(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE mark (id INTEGER)"))
        queue.submit_within(connection, tickets("kept-1", "kept-2"))

    with pytest.raises(ZeroDivisionError):
        await database.write(fail)
    await database.write(succeed)
    await database.close()

    await until(lambda: len(shards.finished) == 2)
    await until(lambda: is_idle(queue))
    assert sorted(shards.started) == ["kept-1", "kept-2"]


@on_databases
async def test_only_a_connection_is_a_transaction(queue: ShardQueue) -> None:
    with pytest.raises(InvalidValueError, match="transaction"):
        queue.submit_within(object(), tickets("s"))


async def test_withdrawn_while_queued_never_starts(bench: Bench, queue: ShardQueue, shards: Shards) -> None:
    await queue.submit(tickets("gone", "stays"))
    await queue.withdraw(tickets("gone", "unknown"))
    await queue.submit(tickets("gone"))
    assert await queue.waiting(10) == ("stays",)

    bench.start(queue, shards)
    await until(lambda: is_idle(queue))
    assert shards.started == ["stays"]


async def test_withdrawn_while_running_is_cancelled_within_two_seconds(
    bench: Bench, queue: ShardQueue, shards: Shards
) -> None:
    held = tickets(*(f"hold-{number}" for number in range(20)))
    await queue.submit(held)
    bench.start(queue, shards, slots=21)
    await until(lambda: len(shards.started) == 20)

    await (await bench.open()).withdraw(held)
    await until(lambda: len(shards.cancelled) == 20, within_s=2)

    assert await is_idle(queue)
    await queue.submit(tickets("after"))
    await until(lambda: shards.finished == ["after"])


async def test_a_closed_queue_starts_nothing_until_it_is_opened(
    bench: Bench, queue: ShardQueue, shards: Shards
) -> None:
    await queue.set_open(is_open=False)
    reopened = await bench.open()
    bench.start(reopened, shards)
    await queue.submit(tickets("s"))
    await asyncio.sleep(0.8)
    assert not shards.started

    await queue.set_open(is_open=True)
    await until(lambda: shards.finished == ["s"], within_s=1)


async def test_no_more_than_the_slots_of_the_worker_run_at_once(
    bench: Bench, queue: ShardQueue, shards: Shards
) -> None:
    await queue.submit(tickets(*(f"hold-{number}" for number in range(8))))
    bench.start(queue, shards, slots=3)
    await until(lambda: len(shards.started) == 3)
    assert await queue.depth() == Depth(queued=5, running=3)

    shards.release.set()
    await until(lambda: is_idle(queue))
    assert shards.most_running == 3


async def test_drain_lets_shards_finish_and_hands_back_the_rest(
    bench: Bench, queue: ShardQueue, shards: Shards
) -> None:
    await queue.submit(tickets("hold-1", "hold-2", "hold-3"))
    work = bench.start(queue, shards, slots=2)
    await until(lambda: len(shards.started) == 2)
    await queue.drain(grace_s=0.1)

    assert work.done()
    assert sorted(shards.cancelled) == ["hold-1", "hold-2"]
    assert await queue.waiting(10) == ("hold-1", "hold-2", "hold-3")

    bench.start(queue, shards, worker_id="again", slots=2)
    await until(lambda: len(shards.started) == 4)
    draining = asyncio.create_task(queue.drain(grace_s=10))
    await asyncio.sleep(0)
    shards.release.set()
    await draining
    assert sorted(shards.finished) == ["hold-1", "hold-2"]
    assert await queue.waiting(10) == ("hold-3",)


async def test_taking_over_from_a_worker_that_lives_stops_it_first(
    bench: Bench, queue: ShardQueue, shards: Shards
) -> None:
    await queue.submit(tickets("hold-1", "hold-2"))
    bench.start(queue, shards, worker_id="slow")
    await until(lambda: len(shards.started) == 2)
    assert await queue.take_over("nobody") == 0

    other = await bench.open()
    taken = await asyncio.gather(*(each.take_over("slow") for each in (queue, other, queue)))
    assert sorted(taken) == [0, 0, 2]

    await until(lambda: len(shards.started) == 4)
    assert sorted(shards.cancelled) == ["hold-1", "hold-2"]
    assert shards.most_of_one == 1
    shards.release.set()
    await until(lambda: is_idle(queue))
    assert sorted(shards.finished) == ["hold-1", "hold-2"]
