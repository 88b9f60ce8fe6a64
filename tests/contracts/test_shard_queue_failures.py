"""What becomes of shards that fail, and of callers who ask for what cannot be."""

import asyncio

import pytest

from assay.domain.errors import ConflictError, InvalidValueError, StoreFullError
from assay.domain.shard import ShardId
from assay.engine.execution.queue import Depth, ShardQueue, WorkerConfig
from tests.contracts import queue_fixtures
from tests.contracts.queue_fixtures import OpenQueues, Shards, is_idle, tickets, until

queues, queue, shards = queue_fixtures.queues, queue_fixtures.queue, queue_fixtures.shards
migrated_database = queue_fixtures.migrated_database


async def test_a_failing_shard_is_tried_again_and_given_up_the_third_time(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    shards.failures = {"flaky": 2, "bad": 3}
    await queues.submit(*tickets("flaky", "bad"))
    queues.start(queue, shards)
    await until(lambda: is_idle(queue))

    assert shards.finished == ["flaky"]
    assert shards.given_up == [("bad", "bad failed")]
    assert shards.started.count("bad") == 3


async def test_what_cannot_be_stored_is_not_asked_again(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    async def unstorable(shard_id: ShardId) -> None:
        shards.started.append(shard_id)
        raise StoreFullError("the disk is full")

    await queues.submit(*tickets("s"))
    work = asyncio.create_task(queue.work(WorkerConfig(unstorable, shards.give_up, slots=1)))
    await until(lambda: shards.given_up == [("s", "the disk is full")])
    assert shards.started == ["s"]
    await queue.close()
    await work


async def test_a_shard_whose_end_nobody_notes_is_delivered_again(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    shards.failures = {"bad": 3}

    async def unable(_shard_id: ShardId, _error: Exception) -> None:
        raise OSError("the database is away")

    await queues.submit(*tickets("bad"))
    work = asyncio.create_task(queue.work(WorkerConfig(shards, unable, slots=1)))
    await until(lambda: shards.finished == ["bad"])
    await queue.close()
    await work


async def test_a_shard_that_cancels_itself_has_failed(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    async def confused(_shard_id: ShardId) -> None:
        raise asyncio.CancelledError

    await queues.submit(*tickets("s"))
    work = asyncio.create_task(queue.work(WorkerConfig(confused, shards.give_up, slots=1)))
    await until(lambda: shards.given_up == [("s", "the shard cancelled itself")])
    await queue.close()
    await work


async def test_an_error_while_being_cancelled_is_no_reason_to_try_again(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    async def clumsy(shard_id: ShardId) -> None:
        try:
            await shards(shard_id)
        except asyncio.CancelledError:
            raise OSError("could not write the rest") from None

    await queues.submit(*tickets("hold"))
    work = asyncio.create_task(queue.work(WorkerConfig(clumsy, shards.give_up, slots=1)))
    await until(lambda: shards.started == ["hold"])
    await queue.withdraw(tickets("hold"))
    await until(lambda: not shards.running["hold"])
    await queues.submit(*tickets("next"))
    await until(lambda: shards.finished == ["next"])

    assert shards.started == ["hold", "next"]
    assert not shards.given_up
    await queue.close()
    await work


async def test_a_shard_that_no_worker_finishes_is_given_up(
    queues: OpenQueues, queue: ShardQueue, shards: Shards, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.adapters.queue.session.MAX_DELIVERIES", 0)
    await queues.submit(*tickets("s"))
    queues.start(queue, shards)
    await until(lambda: bool(shards.given_up))
    assert shards.given_up == [("s", "it was started 0 times and never finished")]
    assert not shards.started


async def test_two_epochs_of_a_shard_never_run_at_once(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    await queues.submit(*tickets("hold"))
    queues.start(queue, shards)
    await until(lambda: shards.started == ["hold"])
    await queue.withdraw(tickets("hold"))
    await queues.submit(*tickets("hold", epoch=1))
    await until(lambda: shards.started == ["hold", "hold"])
    shards.release.set()
    await until(lambda: is_idle(queue))

    assert shards.finished == shards.cancelled == ["hold"]
    assert shards.most_of_one == 1


async def test_cancelling_the_work_hands_everything_back(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    await queues.submit(*tickets("hold"))
    work = queues.start(queue, shards)
    await until(lambda: shards.started == ["hold"])
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    assert shards.cancelled == ["hold"]
    assert await queue.depth() == Depth(queued=1, running=0)


async def test_draining_ends_work_that_has_hardly_begun_and_is_nothing_without_work(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    await queue.drain(grace_s=10)
    work = queues.start(queue, shards)
    await queue.drain(grace_s=10)
    assert work.done()


async def test_a_process_works_for_one_queue_at_a_time(
    queues: OpenQueues, queue: ShardQueue, shards: Shards
) -> None:
    await queues.submit(*tickets("hold"))
    queues.start(queue, shards)
    await until(lambda: shards.started == ["hold"])

    with pytest.raises(ConflictError, match="drain"):
        await queue.work(WorkerConfig(shards, shards.give_up, slots=1))
    shards.release.set()
    await until(lambda: shards.finished == ["hold"])


async def test_a_priority_must_fit_into_the_database(queue: ShardQueue) -> None:
    with pytest.raises(InvalidValueError, match="priority"):
        tickets("s", priority=2**31)
    with pytest.raises(InvalidValueError, match="priority"):
        await queue.reprioritise(tickets("s"), 2**31)
