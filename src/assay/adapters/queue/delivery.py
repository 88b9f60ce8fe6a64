"""What a worker does with the shards it is given, whichever queue they come from."""

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from enum import Enum, auto

from assay.domain.errors import AssayError, StoreAwayError, StoreFullError
from assay.engine.execution.queue import AWAY_S, MAX_DELIVERIES, MAX_TRIES, Handler, OnPoison, ShardId
from assay.engine.tasks import task_group

_log = logging.getLogger(__name__)

# A cancelled shard writes what it has finished; one that hangs must not hold up the others.
_CANCEL_S = 5.0


class Fate(Enum):
    """What becomes of a ticket that was delivered."""

    FINISHED = auto()
    GONE = auto()
    HANDED_BACK = auto()


@dataclass(frozen=True, slots=True)
class Duty:
    """What a worker was asked to do."""

    handler: Handler
    on_poison: OnPoison
    worker_id: str
    slots: int
    backoff_s: float


@dataclass(frozen=True, slots=True)
class Delivery:
    """A shard as it reached this worker; the token changes whenever the ticket changes hands."""

    ticket: str
    shard_id: ShardId
    token: str
    number: int


@dataclass(slots=True)
class _Running:
    delivery: Delivery
    task: asyncio.Task[Fate]
    fate: Fate | None = None

    def cancel(self, fate: Fate) -> None:
        # Once: a second cancellation would break into the shard's last write.
        if self.fate is None:
            self.fate = fate
            self.task.cancel()


class Departure:
    """How a worker is asked to end, and says that it has."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.done = asyncio.Event()
        self.grace_s = 0.0

    async def ask(self, *, grace_s: float) -> None:
        self.grace_s = grace_s
        self.asked.set()
        await self.done.wait()


class Hands:
    """The shards that one worker has at the moment."""

    def __init__(self, duty: Duty) -> None:
        self._duty = duty
        self._free = asyncio.Semaphore(duty.slots)
        self._running: dict[ShardId, _Running] = {}
        self._carriers: dict[asyncio.Task[object], str] = {}
        self._is_draining = False

    @property
    def room(self) -> int:
        """How many shards may be here at once, as of now."""
        return 0 if self._is_draining else self._duty.slots

    @property
    def held(self) -> tuple[Delivery, ...]:
        return tuple(running.delivery for running in self._running.values())

    @property
    def expected(self) -> frozenset[str]:
        """The tickets that are here, on their way in or on their way out."""
        return frozenset(self._carriers.values())

    def lose(self, delivery: Delivery) -> None:
        """Stop running it: the ticket was withdrawn, or another worker has it."""
        running = self._running.get(delivery.shard_id)
        if running is not None and running.delivery == delivery:
            running.cancel(Fate.GONE)

    async def deliver(self, delivery: Delivery) -> Fate:
        """Run the shard to its end, whatever that is; the caller has said to expect it."""
        while before := self._running.get(delivery.shard_id):
            # Handed in again, or taken over from us: soon the earlier delivery is found to be lost.
            await asyncio.wait({before.task})
        async with self._free:
            if self._is_draining:
                return Fate.HANDED_BACK
            return await self._run(delivery)

    def expect(self, ticket: str) -> None:
        """The current task brings this ticket, and notes what became of it: a drain waits for the task."""
        carrier = asyncio.current_task()
        if carrier is not None:
            self._carriers[carrier] = ticket
            carrier.add_done_callback(self._carriers.pop)

    async def _run(self, delivery: Delivery) -> Fate:
        running = _Running(delivery, asyncio.create_task(self._outcome(delivery)))
        self._running[delivery.shard_id] = running
        try:
            await asyncio.wait({running.task})
        finally:
            # Also reached when we are cancelled ourselves, with the shard still at work.
            running.task.cancel()
            if self._running.get(delivery.shard_id) is running:
                del self._running[delivery.shard_id]
        return running.fate or running.task.result()

    async def _outcome(self, delivery: Delivery) -> Fate:
        shard_id = delivery.shard_id
        error = await self._error(delivery)
        if error is None:
            return Fate.FINISHED
        _log.error("shard %r is given up: %s", shard_id, error, exc_info=_unexpected(error))
        try:
            await self._duty.on_poison(shard_id, error)
        except Exception:  # noqa: BLE001 - most likely the database is away, and the shard failed for that alone
            _log.exception("nobody took note that shard %r was given up; it is queued again", shard_id)
            return Fate.HANDED_BACK
        return Fate.FINISHED

    async def _error(self, delivery: Delivery) -> Exception | None:
        """Why the shard has to be given up."""
        if delivery.number > MAX_DELIVERIES:
            return RuntimeError(f"its worker died {delivery.number - 1} times while running it")
        loop = asyncio.get_running_loop()
        given_up_at = loop.time() + AWAY_S
        tries = 0
        while (error := await self._try(delivery.shard_id)) is not None:
            is_away = isinstance(error, StoreAwayError) and loop.time() < given_up_at
            tries += not is_away
            # Asking the models again for what cannot be stored would only cost.
            if tries == MAX_TRIES or isinstance(error, StoreFullError):
                break
            _log.warning(
                "shard %r failed and is tried again: %s",
                delivery.shard_id,
                error,
                exc_info=_unexpected(error),
            )
            await asyncio.sleep(self._duty.backoff_s * 4 ** max(0, tries - 1))
        return error

    async def _try(self, shard_id: ShardId) -> Exception | None:
        try:
            await self._duty.handler(shard_id)
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            return RuntimeError("the shard cancelled itself")
        except Exception as error:
            if _is_cancelled():
                _log.warning(
                    "shard %r failed while it was cancelled: %s", shard_id, error, exc_info=_unexpected(error)
                )
                raise asyncio.CancelledError from error
            return error
        return None

    async def serve(self, departure: Departure, beside: Coroutine[None, None, None]) -> None:
        """Be here until asked to leave; `beside` brings shards or takes them away until the drain is over."""
        try:
            async with task_group() as group:
                companion = group.create_task(beside)
                await departure.asked.wait()
                await self._drain(departure.grace_s)
                companion.cancel()
        finally:
            await self._drain(0)

    async def _drain(self, grace_s: float) -> None:
        """Take nothing more; what is not done after the grace is cancelled and handed back."""
        self._is_draining = True
        if await self._settled(grace_s):
            return
        for running in tuple(self._running.values()):
            running.cancel(Fate.HANDED_BACK)
        if await self._settled(_CANCEL_S):
            return
        _log.warning("%d shards did not stop within %g s of being cancelled", len(self._carriers), _CANCEL_S)
        for carrier in tuple(self._carriers):
            carrier.cancel()

    async def _settled(self, timeout_s: float) -> bool:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        # One more may arrive that was already on its way; it is sent back at once.
        while self._carriers and loop.time() < deadline:
            await asyncio.wait(tuple(self._carriers), timeout=deadline - loop.time())
        return not self._carriers


def _unexpected(error: Exception) -> Exception | None:
    """What is worth a traceback: our own errors say all there is to say."""
    return None if isinstance(error, AssayError) else error


def _is_cancelled() -> bool:
    """Whether somebody asked for it, and not just the shard's own code."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
