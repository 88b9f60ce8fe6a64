"""Stores attempts in batches, so that the store never holds up a call."""

import asyncio
import contextlib
import logging
from collections import Counter
from contextvars import Context
from types import TracebackType
from typing import Self

from assay.domain.attempt import Attempt
from assay.domain.errors import StoreError
from assay.engine.stores.attempts import AttemptStore
from assay.engine.tasks import uninterrupted

_log = logging.getLogger(__name__)

MAX_DELAY_S = 0.09
MAX_BATCH = 512
_MAX_WAITING = 4 * MAX_BATCH


class AttemptWriter:
    """Writes for all shards of a process: a few large batches cost less than many small ones."""

    def __init__(self, attempts: AttemptStore) -> None:
        self._attempts = attempts
        self._waiting: list[Attempt] = []
        self._added = 0
        self._done = 0
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._flush_now = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._sinks: set[AttemptSink] = set()

    def open(self) -> "AttemptSink":
        return AttemptSink(self)

    def enter(self, sink: "AttemptSink") -> None:
        self._sinks.add(sink)

    async def leave(self, sink: "AttemptSink") -> None:
        await self._flush()
        self._sinks.discard(sink)

    async def add(self, attempt: Attempt) -> None:
        self._waiting.append(attempt)
        self._added += 1
        if self._task is None:
            # It writes for all attempts: the ids of the first of them must not stand in its log lines.
            self._task = asyncio.create_task(self._write(), context=Context())
        if len(self._waiting) >= _MAX_WAITING:
            await self._flush()

    async def _flush(self) -> None:
        """Wait until the store has accepted or refused everything added so far."""
        if self._done == self._added:
            return
        flushed = asyncio.get_running_loop().create_future()
        self._waiters.append((self._added, flushed))
        self._flush_now.set()
        await flushed

    async def _write(self) -> None:
        while self._waiting:
            await self._collect()
            batch, self._waiting = self._waiting, []
            try:
                await self._attempts.add(batch)
            except StoreError as error:
                self._fail(error)
            except Exception as error:  # noqa: BLE001 # a bug must fail the shards, not leave them waiting
                lost = Counter(one.evaluation_id for one in batch)
                where = ", ".join(f"{number} of evaluation {one}" for one, number in lost.items())
                _log.exception("attempts could not be stored: %s", where)
                self._fail(StoreError(f"attempts could not be stored: {type(error).__name__}: {error}"))
            finally:
                self._count_done(len(batch))
        self._task = None

    def _fail(self, error: StoreError) -> None:
        """Any shard under way may have lost attempts, so each of them must be executed again."""
        for sink in self._sinks:
            sink.failure = error

    def _count_done(self, count: int) -> None:
        self._done += count
        for target, flushed in self._waiters:
            if target <= self._done and not flushed.done():
                flushed.set_result(None)
        self._waiters = [one for one in self._waiters if one[0] > self._done]
        if not self._waiters:
            self._flush_now.clear()

    async def _collect(self) -> None:
        if len(self._waiting) < MAX_BATCH and not self._flush_now.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(MAX_DELAY_S):
                    await self._flush_now.wait()


class AttemptSink:
    """Passes the attempts of one shard to the writer; leaving the block waits until all are stored."""

    def __init__(self, writer: AttemptWriter) -> None:
        self._writer = writer
        self.failure: StoreError | None = None

    async def __aenter__(self) -> Self:
        self._writer.enter(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A cancelled run still keeps what its models have answered.
        await uninterrupted(self._writer.leave(self))
        if error is None:
            self._raise_if_failed()

    async def put(self, attempt: Attempt) -> None:
        self._raise_if_failed()
        await self._writer.add(attempt)

    def _raise_if_failed(self) -> None:
        if self.failure is not None:
            # A new one each time: many tasks raise it, and each adds its own cause and traceback.
            raise type(self.failure)(self.failure.message) from self.failure
