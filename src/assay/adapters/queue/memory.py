"""The queue of one process, in memory: for a run that is executed by the process that was asked for it."""

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy import Connection, StaticPool, create_engine

from assay.adapters.queue.sqlite import SUBMIT, SqliteQueue, create_tables, execute
from assay.engine.execution.queue import Ticket

T = TypeVar("T")


class MemoryQueue(SqliteQueue):
    """Its own database, which takes microseconds, so that no thread is needed to wait for it."""

    poll_s = 0.1

    def __init__(self, *, backoff_s: float = 2.0) -> None:
        super().__init__(self)
        self.backoff_s = backoff_s
        self._engine = create_engine(
            "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}
        )
        # The store calls `submit_within` from the thread that writes.
        self._lock = threading.Lock()
        self._run(create_tables)

    def submit_within(self, transaction: object, tickets: Sequence[Ticket]) -> None:  # noqa: ARG002
        """The store's transaction is another database's: they are queued at once."""
        self._run(lambda connection: execute(connection, SUBMIT, tickets))

    async def read(self, work: Callable[[Connection], T]) -> T:
        return self._run(work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        return self._run(work)

    async def close(self) -> None:
        await super().close()
        self._engine.dispose()

    def _run(self, work: Callable[[Connection], T]) -> T:
        with self._lock, self._engine.begin() as connection:
            return work(connection)
