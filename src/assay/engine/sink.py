"""Stores attempts in batches, so that the store never holds up a call."""

import asyncio
import contextlib
from types import TracebackType
from typing import Self

from assay.domain.attempt import Attempt
from assay.domain.errors import StoreError
from assay.engine.ports import RunStore
from assay.engine.tasks import uninterrupted

MAX_DELAY_S = 0.09
MAX_BATCH = 256
_MAX_WAITING = 4 * MAX_BATCH


class AttemptSink:
    """An attempt given to `put` is stored within tens of milliseconds; leaving the block stores the rest."""

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._waiting: list[Attempt] = []
        self._arrived = asyncio.Event()
        self._drained = asyncio.Event()
        self._drained.set()
        self._failure: StoreError | None = None
        self._closing = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._writer = asyncio.create_task(self._write_batches())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._arrived.set()
        # A cancelled run still keeps what its models have answered.
        await uninterrupted(self._written())
        if self._failure is not None and error is None:
            raise self._failure

    async def _written(self) -> None:
        if self._writer is not None:
            await self._writer

    async def put(self, attempt: Attempt) -> None:
        if self._failure is not None:
            raise self._failure
        self._waiting.append(attempt)
        self._arrived.set()
        if len(self._waiting) >= _MAX_WAITING:
            self._drained.clear()
            await self._drained.wait()

    async def _write_batches(self) -> None:
        while not (self._closing.is_set() and not self._waiting):
            await self._arrived.wait()
            if not self._closing.is_set() and len(self._waiting) < MAX_BATCH:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(MAX_DELAY_S):
                        await self._closing.wait()
            self._arrived.clear()
            batch, self._waiting = self._waiting, []
            try:
                if batch:
                    await self._store.add_attempts(batch)
            except StoreError as error:
                self._failure = error
                self._waiting = []
                return
            finally:
                self._drained.set()
