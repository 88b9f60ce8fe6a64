"""One worker at a queue: it claims shards while it has free slots, runs them, and reports the results."""

import asyncio
import contextlib
import logging
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass

from assay.domain.errors import AssayError, ConflictError, StoreAwayError, StoreError, StoreFullError
from assay.domain.shard import ShardId
from assay.engine.execution.queue import AWAY_S, MAX_DELIVERIES, MAX_TRIES, Lane, NotTakenError, WorkerConfig
from assay.engine.tasks import task_group

_log = logging.getLogger(__name__)

# How long a cancelled shard may take to write what it has finished before the session ends without it.
_CANCEL_S = 5.0
_RETRY_S = 1.0


@dataclass(frozen=True, slots=True)
class Delivery:
    """A shard as it was handed to this worker; `number` counts how often it was handed out."""

    shard_id: ShardId
    ticket: str
    number: int


class SessionQueue(ABC):
    """The part of a queue that is the same wherever its tickets are kept."""

    poll_s = 0.5
    backoff_s = 2.0
    _session: "WorkerSession | None" = None

    async def work(self, config: WorkerConfig) -> None:
        if self._session is not None:
            raise ConflictError("this queue is worked on already; drain it first")
        session = self._session = WorkerSession(self, config)
        try:
            await session.run()
        finally:
            self._session = None
            session.has_ended.set()

    async def drain(self, *, grace_s: float) -> None:
        await asyncio.sleep(0)  # Work that was only just asked for has begun after this.
        if session := self._session:
            session.grace_s = grace_s
            session.drain_requested.set()
            await session.has_ended.wait()

    async def requeue_stalled(self, *, lease_s: float, running: Collection[ShardId]) -> int:  # noqa: ARG002
        """Nothing to do where one process at a time works."""
        return 0

    async def close(self) -> None:
        await self.drain(grace_s=0)

    @abstractmethod
    async def enter(self, config: WorkerConfig) -> None:
        """Called once, before the first claim."""

    @abstractmethod
    async def leave(self) -> None:
        """Called once, after the last report; whatever is still claimed goes back to the queue."""

    @abstractmethod
    async def claim(self, lane: Lane) -> Delivery | None:
        """Take the next shard of the lane."""

    @abstractmethod
    async def report(self, delivery: Delivery, *, is_done: bool) -> None:
        """Remove the ticket, or put it back in its place; nothing if it has changed hands."""

    @abstractmethod
    async def withdrawn(self, held: Collection[Delivery]) -> Collection[Delivery]:
        """Those of the worker's deliveries whose tickets were withdrawn, or are another worker's now."""


class WorkerSession:
    def __init__(self, queue: SessionQueue, config: WorkerConfig) -> None:
        self._queue = queue
        self._config = config
        self._tasks: dict[Delivery, asyncio.Task[None]] = {}
        # Whether the ticket of a cancelled delivery is done with.
        self._cancelled: dict[Delivery, bool] = {}
        self._delivery_ended = asyncio.Event()
        self._is_serving = True
        self._takes_more = True
        self.drain_requested = asyncio.Event()
        self.grace_s = 0.0
        self.has_ended = asyncio.Event()

    async def run(self) -> None:
        await self._queue.enter(self._config)
        try:
            async with task_group() as group:
                group.create_task(self._serve())
                try:
                    await self.drain_requested.wait()
                    await self._settle(self.grace_s)
                finally:
                    # The drivers of databases may miss a cancellation.
                    self._is_serving = False
                    self._delivery_ended.set()
        finally:
            self.drain_requested.set()
            await self._settle(0.0)
            # Without the database, what was claimed waits until this worker counts as dead.
            with contextlib.suppress(StoreError):
                await self._queue.leave()

    async def _serve(self) -> None:
        """Stop what was withdrawn and claim what there is room for, at least every `poll_s`."""
        has_failed = False
        while self._is_serving:
            self._delivery_ended.clear()
            try:
                # A claim whose reply was lost may have left a ticket in our name.
                if self._tasks or has_failed:
                    for delivery in await self._queue.withdrawn(tuple(self._tasks)):
                        self._cancel(delivery, is_done=True)
                await self._claim()
                has_failed = False
            except StoreError as error:
                if not has_failed:
                    _log.warning("no shards are claimed until the queue answers again: %s", error)
                has_failed = True
                await asyncio.sleep(_RETRY_S)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._queue.poll_s):
                    await self._delivery_ended.wait()

    async def _claim(self) -> None:
        while self._has_room():
            delivery = await self._queue.claim(self._config.lane)
            if delivery is None:
                return
            task = self._tasks[delivery] = asyncio.create_task(self._deliver(delivery))
            task.add_done_callback(lambda _task, ended=delivery: self._note_end(ended))

    def _has_room(self) -> bool:
        return (
            len(self._tasks) < self._config.slots and self._takes_more and not self.drain_requested.is_set()
        )

    def _note_end(self, delivery: Delivery) -> None:
        del self._tasks[delivery]
        self._cancelled.pop(delivery, None)
        self._delivery_ended.set()

    def _cancel(self, delivery: Delivery, *, is_done: bool) -> None:
        # Only once: a second cancellation would interrupt the shard's last write.
        if delivery in self._tasks and delivery not in self._cancelled:
            self._cancelled[delivery] = is_done
            self._tasks[delivery].cancel()

    async def _deliver(self, delivery: Delivery) -> None:
        """Run the shard to its end, whatever that is, and report it as soon as the queue answers."""
        try:
            for earlier, task in tuple(self._tasks.items()):
                if earlier == delivery:
                    break
                if earlier.shard_id == delivery.shard_id:
                    # It was withdrawn or taken over from us, and is being cancelled.
                    await asyncio.wait({task})
            is_done = await self._is_done(delivery)
        except asyncio.CancelledError:
            is_done = self._cancelled.get(delivery, False)
        except NotTakenError:
            is_done = self._takes_more = False
        while True:
            try:
                return await self._queue.report(delivery, is_done=is_done)
            except StoreError:
                await asyncio.sleep(_RETRY_S)

    async def _is_done(self, delivery: Delivery) -> bool:
        """Try the shard until it returns or has failed too often; if neither, it is queued again."""
        if self.drain_requested.is_set():
            return False
        if delivery.number > MAX_DELIVERIES:
            error = RuntimeError(f"it was started {MAX_DELIVERIES} times and never finished")
            return await self._give_up(delivery.shard_id, error)
        loop = asyncio.get_running_loop()
        away_until, tries, told = loop.time() + AWAY_S, 0, ""
        while True:
            try:
                await self._config.handler(delivery.shard_id)
            except (Exception, asyncio.CancelledError) as failure:  # noqa: BLE001 # recorded or raised again
                error = _error_of(failure, delivery.shard_id)
            else:
                return True
            tries += not (isinstance(error, StoreAwayError) and loop.time() < away_until)
            # Asking the models again for what cannot be stored would only cost.
            if tries == MAX_TRIES or isinstance(error, StoreFullError):
                return await self._give_up(delivery.shard_id, error)
            if str(error) != told:
                told = str(error)
                _log_failure(logging.WARNING, "shard %r failed; trying again: %s", delivery.shard_id, error)
            await asyncio.sleep(self._queue.backoff_s * 4 ** max(0, tries - 1))

    async def _give_up(self, shard_id: ShardId, error: Exception) -> bool:
        _log_failure(logging.ERROR, "shard %r is given up: %s", shard_id, error)
        try:
            await self._config.on_poison(shard_id, error)
        except Exception as failure:  # noqa: BLE001 # most likely the database is away
            _log_failure(logging.ERROR, "giving up shard %r failed; it stays queued: %s", shard_id, failure)
            return False
        return True

    async def _settle(self, grace_s: float) -> None:
        """Wait for what is under way; what is not done after the grace is cancelled and handed back."""
        if not await self._have_ended(grace_s):
            for delivery in tuple(self._tasks):
                self._cancel(delivery, is_done=False)
            if not await self._have_ended(_CANCEL_S):
                _log.warning("%d shards did not stop within %g s", len(self._tasks), _CANCEL_S)
                for task in tuple(self._tasks.values()):
                    task.cancel()
                await self._have_ended(_CANCEL_S)

    async def _have_ended(self, timeout_s: float) -> bool:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        # A claim that was under way may still bring one more; it is handed back at once.
        while self._tasks and loop.time() < deadline:
            await asyncio.wait(tuple(self._tasks.values()), timeout=deadline - loop.time())
        return not self._tasks


def _error_of(failure: BaseException, shard_id: ShardId) -> Exception:
    """The shard's own failure; raises CancelledError where the session has cancelled the shard.

    Raises NotTakenError where it was not taken.
    """
    if isinstance(failure, NotTakenError):
        raise failure
    task = asyncio.current_task()
    if task is not None and task.cancelling() > 0:
        if isinstance(failure, Exception):
            _log_failure(logging.WARNING, "shard %r failed while it was cancelled: %s", shard_id, failure)
        raise asyncio.CancelledError from failure
    return failure if isinstance(failure, Exception) else RuntimeError("the shard cancelled itself")


def _log_failure(level: int, message: str, shard_id: ShardId, error: Exception) -> None:
    """With a traceback where the error is not one of our own, which say all there is to say."""
    _log.log(level, message, shard_id, error, exc_info=None if isinstance(error, AssayError) else error)
