"""The queue of shards in PostgreSQL: each ticket is a job of procrastinate, reached through its JobManager.

The worker of procrastinate is not used: when the database restarts, it stops and cancels its jobs.
"""

import asyncio
import contextlib
import logging
from collections.abc import Collection, Generator, Sequence
from datetime import UTC, datetime
from typing import Any

import psycopg
from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ProcrastinateException
from procrastinate.jobs import Job, Status
from sqlalchemy import URL, Connection
from sqlalchemy.engine.interfaces import AdaptedConnection

from assay.adapters.queue.session import Delivery, SessionQueue
from assay.domain.errors import ConflictError, InvalidValueError, StoreError
from assay.domain.shard import ShardId
from assay.engine.execution.queue import Depth, Lane, Ticket, WorkerConfig, require_priority

# Callers get the same message as an error.
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)

_TASK = "shard"
# A job that waits for ever, in a queue of its own: while it is there, no shard is started.
_CLOSED = "closed"
_NEVER = datetime(9999, 1, 1, tzinfo=UTC)
# Not the present time of this machine, which may be in the future for the database.
_AT_ONCE = datetime(2000, 1, 1, tzinfo=UTC)
_SCHEMA_LOCK = 0x4153_5341_5910
_CONNECTIONS = 2
_CONNECT_S = 5.0
_FORGET_WORKERS_S = 30 * 24 * 3600.0


async def open_queue(url: URL, *, is_pooled: bool = False) -> "PostgresQueue":
    """Open the queue in this database, with its tables created if they are missing; raises StoreError."""
    queue = PostgresQueue(url, is_pooled=is_pooled)
    await queue.open()
    return queue


class PostgresQueue(SessionQueue):
    def __init__(self, url: URL, *, is_pooled: bool) -> None:
        self._name = repr(url.database)
        self._conninfo = url.set(drivername="postgresql").render_as_string(hide_password=False)
        # Behind PgBouncer a transaction may be on a connection where prepared statements are unknown.
        self._options: dict[str, Any] = {"prepare_threshold": None} if is_pooled else {}
        self._app = App(
            connector=PsycopgConnector(
                conninfo=self._conninfo,
                kwargs=self._options,
                min_size=1,
                max_size=_CONNECTIONS,
                timeout=_CONNECT_S,
            )
        )
        self._jobs = self._app.job_manager
        self._worker = 0
        self._heartbeat: asyncio.Task[None] | None = None

    async def open(self) -> None:
        with self._translated_errors():
            await self._app.open_async()
            if await self._jobs.check_connection_async():
                return
            async with await self._transaction() as connection:
                await connection.execute("SELECT pg_advisory_xact_lock(%s)", [_SCHEMA_LOCK])
                if not await self._jobs.check_connection_async():
                    await self._app.schema_manager.apply_schema_async()

    async def close(self) -> None:
        await super().close()
        await self._app.close_async()

    def submit_within(self, transaction: object, tickets: Sequence[Ticket]) -> None:
        driver = transaction.connection.dbapi_connection if isinstance(transaction, Connection) else None
        if not isinstance(driver, AdaptedConnection):
            raise InvalidValueError(f"a transaction is an open connection, not {transaction!r}")
        jobs = [_job(ticket, ticket.priority) for ticket in tickets]
        with self._translated_errors():
            driver.run_async(lambda raw: self._jobs.batch_defer_jobs_async(jobs, connection=raw))

    async def withdraw(self, tickets: Sequence[Ticket]) -> None:
        with self._translated_errors():
            found = await self._found(tickets)
            async with await self._transaction() as connection:
                for job_id in found:
                    await self._jobs.cancel_job_by_id_async(
                        job_id, abort=True, delete_job=True, connection=connection
                    )

    async def reprioritise(self, tickets: Sequence[Ticket], priority: int) -> None:
        """Those moved go behind the ones that have the priority already."""
        require_priority(priority)
        with self._translated_errors():
            found = await self._found(tickets, status=Status.TODO)
            async with await self._transaction() as connection:
                moved = [
                    _job(ticket, priority)
                    for job_id, ticket in found.items()
                    if await self._jobs.cancel_job_by_id_async(job_id, delete_job=True, connection=connection)
                ]
                await self._jobs.batch_defer_jobs_async(moved, connection=connection)

    async def set_open(self, *, is_open: bool) -> None:
        with self._translated_errors():
            if is_open:
                for job in await self._jobs.list_jobs_async(task=_CLOSED):
                    await self._jobs.cancel_job_by_id_async(job.id or 0, delete_job=True)
                return
            closed = Job(
                queue=_CLOSED, lock=None, queueing_lock=_CLOSED, task_name=_CLOSED, scheduled_at=_NEVER
            )
            with contextlib.suppress(AlreadyEnqueued):
                await self._jobs.defer_job_async(closed)

    async def depth(self) -> Depth:
        with self._translated_errors():
            counts = list(await self._jobs.list_tasks_async(task=_TASK))
        return Depth(queued=sum(row["todo"] for row in counts), running=sum(row["doing"] for row in counts))

    async def waiting(self) -> tuple[ShardId, ...]:
        jobs = await self._listed(status=Status.TODO)
        ordered = sorted(jobs, key=lambda job: (-job.priority, job.id or 0))
        return tuple(_shard_id(job) for job in ordered)

    async def requeue_stalled(self, *, lease_s: float, running: Collection[ShardId]) -> int:
        with self._translated_errors():
            jobs = await self._jobs.get_stalled_jobs(task_name=_TASK, seconds_since_heartbeat=lease_s)
            stalled = [job for job in jobs if _shard_id(job) not in running]
            for job in stalled:
                await self._release(job)
        return len(stalled)

    async def enter(self, config: WorkerConfig) -> None:
        with self._translated_errors():
            await self._jobs.prune_stalled_workers(_FORGET_WORKERS_S)
            # A withdrawn job whose worker died ends as failed.
            await self._jobs.delete_old_jobs(nb_hours=1, include_failed=True)
            self._worker = await self._jobs.register_worker()
        self._heartbeat = asyncio.create_task(self._beat(config.lease_s / 5))

    async def leave(self) -> None:
        if self._heartbeat is not None:
            self._heartbeat.cancel()
        with self._translated_errors():
            for job in (await self._own()).values():
                await self._release(job)
            await self._jobs.unregister_worker(self._worker)

    async def claim(self, lane: Lane) -> Delivery | None:
        with self._translated_errors():
            waiting = {row["name"] for row in await self._jobs.list_tasks_async(status=Status.TODO.value)}
            if _CLOSED in waiting or _TASK not in waiting:
                return None
            queues = await self._shards_of(lane) if lane.is_narrow else None
            if queues == []:
                return None
            job = await self._jobs.fetch_job(queues, self._worker)
        return None if job is None else _delivery(job)

    async def report(self, delivery: Delivery, *, is_done: bool) -> None:
        with self._translated_errors():
            job = (await self._own()).get(delivery)
            if job is not None:
                await self._release(job, is_done=is_done)

    async def withdrawn(self, held: Collection[Delivery]) -> Collection[Delivery]:
        with self._translated_errors():
            own = await self._own()
            for delivery in own.keys() - set(held):
                # The reply to its claim was lost with the connection.
                await self._release(own[delivery])
        return [one for one in held if one not in own or own[one].abort_requested]

    async def _beat(self, every_s: float) -> None:
        while True:
            await asyncio.sleep(every_s)
            with contextlib.suppress(StoreError), self._translated_errors():
                await self._jobs.update_heartbeat(self._worker)

    async def _release(self, job: Job, *, is_done: bool = False) -> None:
        if is_done or job.abort_requested:
            await self._jobs.finish_job(job, Status.SUCCEEDED, delete_job=True)
        else:
            await self._jobs.retry_job(job, retry_at=_AT_ONCE)

    async def _own(self) -> dict[Delivery, Job]:
        """The jobs that this worker has."""
        jobs = await self._jobs.list_jobs_async(status=Status.DOING.value, worker_id=self._worker)
        return {_delivery(job): job for job in jobs}

    async def _found(self, tickets: Sequence[Ticket], status: Status | None = None) -> dict[int, Ticket]:
        """The tickets that wait or run, by their jobs, oldest first."""
        wanted = {_name(ticket): ticket for ticket in tickets}
        jobs = await self._listed(status=status)
        return {job.id or 0: wanted[name] for job in jobs if (name := job.queueing_lock) in wanted}

    async def _listed(self, *, status: Status | None) -> list[Job]:
        with self._translated_errors():
            return list(await self._jobs.list_jobs_async(task=_TASK, status=status.value if status else None))

    async def _shards_of(self, lane: Lane) -> list[str]:
        jobs = await self._listed(status=Status.TODO)
        kinds = {job.queue: (str(job.task_kwargs["model"]), str(job.task_kwargs["owner"])) for job in jobs}
        return [queue for queue, kind in kinds.items() if lane.takes(*kind)]

    async def _transaction(self) -> psycopg.AsyncConnection:
        """A connection that commits when its block ends."""
        return await psycopg.AsyncConnection.connect(self._conninfo, **self._options)

    @contextlib.contextmanager
    def _translated_errors(self) -> Generator[None]:
        try:
            yield
        except AlreadyEnqueued as error:
            raise ConflictError("a shard of this run is queued already; try again") from error
        except (ProcrastinateException, psycopg.Error, OSError) as error:
            # procrastinate only says that there was an error; the database has said which.
            detail = str(error.__cause__ or error).strip().partition("\n")[0]
            raise StoreError(
                f"the queue in the database {self._name} failed: {detail}; "
                "check that it can be reached and written"
            ) from error


def _job(ticket: Ticket, priority: int) -> Job:
    return Job(
        # Workers for some models or owners name the shards that they take.
        queue=ticket.shard_id,
        # procrastinate runs higher priorities first.
        priority=-priority,
        # Two epochs of a shard never run at once, wherever the workers are.
        lock=ticket.shard_id,
        queueing_lock=_name(ticket),
        task_name=_TASK,
        task_kwargs={"model": ticket.model, "owner": ticket.owner or ""},
    )


def _name(ticket: Ticket) -> str:
    return f"{ticket.shard_id}#{ticket.epoch}"


def _delivery(job: Job) -> Delivery:
    return Delivery(_shard_id(job), str(job.id), job.attempts + 1)


def _shard_id(job: Job) -> ShardId:
    return ShardId(job.lock or "")
