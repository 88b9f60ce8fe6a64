"""Shards share one writer: what is put is stored, and who lost something hears of it."""

import asyncio
from collections.abc import Sequence

import pytest

from assay.adapters.store.attempts.store import SqlAttemptStore
from assay.domain.attempt import Attempt
from assay.domain.errors import StoreError
from assay.engine.execution.sink import MAX_BATCH, AttemptWriter
from tests.builders import attempt
from tests.stores import MemoryDatabase


class NotingStore(SqlAttemptStore):
    """Keeps each batch; the numbers in `failing` are refused."""

    def __init__(self, *failing: int) -> None:
        super().__init__(MemoryDatabase())
        self.batches: list[list[str]] = []
        self._failing = failing

    async def add(self, attempts: Sequence[Attempt]) -> None:
        await asyncio.sleep(0)
        self.batches.append([each.item_id for each in attempts])
        if len(self.batches) - 1 in self._failing:
            raise StoreError("the disk is full")


async def test_leaving_a_shard_stores_what_it_has_put() -> None:
    store = NotingStore()
    writer = AttemptWriter(store)
    async with writer.open() as sink:
        for number in range(3):
            await sink.put(attempt(str(number)))
    assert store.batches == [["0", "1", "2"]]


async def test_shards_share_a_batch() -> None:
    store = NotingStore()
    writer = AttemptWriter(store)
    async with writer.open() as one, writer.open() as other:
        await one.put(attempt("0"))
        await other.put(attempt("1"))
    assert store.batches == [["0", "1"]]


async def test_a_full_batch_does_not_wait() -> None:
    store = NotingStore()
    async with AttemptWriter(store).open() as sink:
        for number in range(MAX_BATCH):
            await sink.put(attempt(str(number)))
        while not store.batches:
            await asyncio.sleep(0)
        assert len(store.batches[0]) == MAX_BATCH


async def test_every_shard_under_way_hears_of_a_failure_and_later_ones_do_not() -> None:
    writer = AttemptWriter(NotingStore(0))

    async def shard(name: str) -> None:
        async with writer.open() as sink:
            await sink.put(attempt(name))

    results = await asyncio.gather(shard("0"), shard("1"), return_exceptions=True)
    assert [str(result) for result in results] == ["the disk is full"] * 2
    await shard("2")


async def test_a_shard_that_lost_something_takes_no_more() -> None:
    store = NotingStore(0)
    writer = AttemptWriter(store)

    async def shard() -> None:
        async with writer.open() as sink:
            await sink.put(attempt("0"))
            while sink.failure is None:
                await asyncio.sleep(0.01)
            await sink.put(attempt("1"))

    with pytest.raises(StoreError, match="disk is full"):
        await shard()
    assert store.batches == [["0"]]


async def test_a_cancelled_shard_still_stores_what_was_answered() -> None:
    store = NotingStore()
    writer = AttemptWriter(store)

    async def shard() -> None:
        async with writer.open() as sink:
            await sink.put(attempt("0"))
            await asyncio.Event().wait()

    task = asyncio.create_task(shard())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert store.batches == [["0"]]
