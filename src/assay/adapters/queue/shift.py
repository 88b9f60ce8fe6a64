"""One worker's time at the durable queue, from the first claim to the hand-back of what is not done."""

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from dbos import DBOSClient
from sqlalchemy import Connection

from assay.adapters.queue import service
from assay.adapters.queue.database import QueueDatabase
from assay.adapters.queue.delivery import Departure, Duty, Fate, Hands
from assay.adapters.queue.rows import TicketRows
from assay.adapters.queue.sparing import Sparing
from assay.domain.errors import StoreError
from assay.engine.execution.queue import Lane

_log = logging.getLogger(__name__)
_log.addFilter(Sparing())

# How soon a handler learns that its ticket was withdrawn: one statement for all the shards of a worker.
_WATCH_S = 0.5
_RETRY_S = 1.0
_STRAY_S = 10.0
_TIDY_EVERY_S = 600.0
_KEEP_ENDED_S = 7 * 24 * 3600.0
_TIDY_BATCH = 1000

T = TypeVar("T")


class Shift:
    """Only what is in the lane is claimed."""

    def __init__(
        self,
        database: QueueDatabase,
        rows: TicketRows,
        client: DBOSClient,
        duty: Duty,
        *,
        lane: Lane,
    ) -> None:
        self._database = database
        self._rows = rows
        self._client = client
        self._worker_id = duty.worker_id
        self._lane = lane
        self._hands = Hands(duty)
        self._strays: dict[str, float] = {}
        self.departure = Departure()

    async def run(self) -> None:
        hands = self._hands
        try:
            with self._database.speaking_plainly():
                service.start(
                    self._database.engine,
                    service.Service(
                        self._worker_id,
                        room=lambda: hands.room,
                        deliver=self._deliver,
                        lane=self._lane,
                    ),
                )
            try:
                await hands.serve(self.departure, self._watch())
            finally:
                await self._leave()
        finally:
            self.departure.done.set()

    async def _leave(self) -> None:
        await self._database.call(service.stop)
        try:
            # What was claimed at the last moment, or would not stop.
            await self._database.transact(partial(self._rows.hand_back_all, worker_id=self._worker_id))
        except StoreError as error:
            _log.warning("shards may wait until this worker is declared dead: %s", error)

    async def _deliver(self, ticket: str) -> None:
        """Returning tells dbos that the ticket is done with; cancelled, dbos leaves it as it is."""
        self._hands.expect(ticket)
        delivery = await self._insist(partial(self._rows.claimed, ticket=ticket, worker_id=self._worker_id))
        if delivery is None:
            raise asyncio.CancelledError
        fate = await self._hands.deliver(delivery)
        if fate is Fate.HANDED_BACK:
            await self._insist(self._hand_back(ticket, delivery.token))
        # Also waits for a database that is away; dbos would do so in a thread that nothing can stop.
        tokens = await self._insist(partial(self._rows.tokens, worker_id=self._worker_id))
        if fate is not Fate.FINISHED or tokens.get(ticket) != delivery.token:
            raise asyncio.CancelledError

    def _hand_back(self, ticket: str, token: str) -> Callable[[Connection], None]:
        return partial(self._rows.hand_back, worker_id=self._worker_id, ticket=ticket, token=token)

    async def _insist(self, work: Callable[[Connection], T]) -> T:
        """Do it as soon as the database is there."""
        while True:
            try:
                return await self._database.transact(work)
            except StoreError as error:
                _log.warning("trying again: %s", error)
                await asyncio.sleep(_RETRY_S)

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        tidy_at = loop.time()
        while True:
            try:
                await self._compare()
                if loop.time() >= tidy_at:
                    tidy_at = loop.time() + _TIDY_EVERY_S
                    await self._tidy()
            except StoreError as error:
                _log.warning("withdrawn shards go on for now: %s", error)
                await asyncio.sleep(_RETRY_S)
            await asyncio.sleep(_WATCH_S)

    async def _compare(self) -> None:
        """What runs here, with what the database says is ours."""
        tokens = await self._database.transact(partial(self._rows.tokens, worker_id=self._worker_id))
        for delivery in self._hands.held:
            if tokens.get(delivery.ticket) != delivery.token:
                self._hands.lose(delivery)
        now = asyncio.get_running_loop().time()
        strays = tokens.keys() - self._hands.expected
        self._strays = {ticket: self._strays.get(ticket, now) for ticket in strays}
        for ticket, since in self._strays.items():
            # Claimed with the connection lost before we heard of it, or finished with the same misfortune.
            if now - since > _STRAY_S:
                _log.warning("ticket %r is ours but never arrived; it is queued again", ticket)
                await self._database.transact(self._hand_back(ticket, tokens[ticket]))

    async def _tidy(self) -> None:
        """Forget tickets that ended long ago."""
        old = partial(self._rows.ended, age_s=_KEEP_ENDED_S, limit=_TIDY_BATCH)
        while tickets := await self._database.transact(old):
            await self._database.call(partial(self._client.delete_workflows, tickets))
