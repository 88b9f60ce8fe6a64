"""dbos, of which a process has one: started for one worker, stopped with it."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from dbos import DBOS, DBOSClient, DBOSConfig, DBOSPortableJSONSerializer, Queue
from sqlalchemy import Engine

from assay.adapters.queue.rows import QUEUE, WORKFLOW, TicketRows, model_and_owner
from assay.adapters.queue.sparing import Sparing
from assay.domain.errors import ConflictError
from assay.engine.execution.queue import Lane

SCHEMA = "dbos"
# Constant: with a version that changes, dbos leaves the work queued by the old one to workers of the old one.
VERSION = "1"
_APPLICATION = "assay"
_POLL_S = 0.25


@dataclass(frozen=True, slots=True)
class Service:
    """What dbos calls back: how many shards this worker takes now, and one that it has claimed."""

    worker_id: str
    room: Callable[[], int]
    deliver: Callable[[str], Awaitable[None]]
    lane: Lane


_serving: Service | None = None


@DBOS.workflow(name=WORKFLOW, max_recovery_attempts=None)
async def _shard() -> None:
    """One ticket. No steps: a shard knows from the store what it has done."""
    ticket = DBOS.workflow_id
    if _serving is None or ticket is None:
        raise asyncio.CancelledError
    await _serving.deliver(ticket)


def client(engine: Engine) -> DBOSClient:
    """For all that needs no worker in this process."""
    _keep_quiet()
    return DBOSClient(
        system_database_engine=engine,
        dbos_system_schema=SCHEMA,
        serializer=DBOSPortableJSONSerializer(),
        application_name=_APPLICATION,
        lazy=True,
        # A caller would rather be told that the database is away than wait for its return.
        retry_connection_errors=False,
    )


def prepare(engine: Engine) -> None:
    """Create or upgrade the tables, and the queue as open, unless it exists."""
    owner = client(engine)
    # The client has no public call for it, and `DBOS.migrate` takes no engine, which SQLite needs here.
    owner._sys_db.run_migrations()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    owner.register_queue(
        QUEUE,
        worker_concurrency=_slots(is_open=True),
        polling_interval_sec=_POLL_S,
        on_conflict="never_update",
    )


def set_open(owner: DBOSClient, *, is_open: bool) -> None:
    queue = owner.retrieve_queue(QUEUE)
    if queue is not None:
        queue.set_worker_concurrency(_slots(is_open=is_open))


def _slots(*, is_open: bool) -> int:
    """What the queue's row says for all workers; where it says 1, each takes as many as it has slots."""
    return 1 if is_open else 0


def start(engine: Engine, service: Service) -> None:
    """Begin to claim shards; to be called on the event loop that is to run them."""
    global _serving  # noqa: PLW0603 - dbos is global to the process, and so is whom it works for
    if _serving is not None:
        raise ConflictError("this process works for a queue already; drain it first")
    _keep_quiet()
    config = DBOSConfig(
        name=_APPLICATION,
        application_version=VERSION,
        executor_id=service.worker_id,
        system_database_engine=engine,
        dbos_system_schema=SCHEMA,
        serializer=DBOSPortableJSONSerializer(),
        use_listen_notify=False,
        run_migrations=False,
        log_level="WARNING",
        # A thread we have no use for; it ends the sooner, and `stop` with it.
        notification_listener_polling_interval_sec=_POLL_S,
    )
    _serving = service
    try:
        dbos = DBOS(config=config)
        DBOS.listen_queues([QUEUE])
        DBOS.launch()
        _take_only_what_fits(dbos, service)
        if service.lane.is_narrow:
            _take_only_of(dbos, service.lane)
    except BaseException:
        stop()
        raise


def stop() -> None:
    """End all threads of dbos; blocks for a second or two, so not to be called on the event loop."""
    global _serving  # noqa: PLW0603
    DBOS.destroy()
    _serving = None


def _take_only_what_fits(dbos: DBOS, service: Service) -> None:
    """Let each worker have its own number of slots, where dbos knows one for all, and none while it drains.

    dbos reads the queue's row before each claim; until we see to it, the row allows one shard.
    """
    database = dbos._sys_db  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    read = database.get_queue

    def get_queue(name: str, **_: object) -> Queue | None:
        queue = read(name)
        if queue is not None and queue._worker_concurrency:  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            queue._worker_concurrency = service.room()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        return queue

    database.get_queue = get_queue


def _take_only_of(dbos: DBOS, lane: Lane) -> None:
    """Claim partition by partition, those that are next in turn: dbos can look for one at a time.

    dbos waits a polling interval before its first claim, so none comes before this.
    """
    database = dbos._sys_db  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    claim = database.start_queued_workflows
    rows = TicketRows(None if database.engine.dialect.name == "sqlite" else SCHEMA)

    def next_partitions(free: int) -> Counter[str]:
        mine = [one for one in database.get_queue_partitions(QUEUE) if lane.takes(*model_and_owner(one))]
        if not mine or free <= 0:
            return Counter()
        with database.engine.begin() as connection:
            return Counter(rows.next_partitions(connection, mine, free))

    def claim_in_lane(
        queue: Queue,
        executor_id: str,
        app_version: str,
        _partition: str | None,
        running: int = 0,
        *,
        owner_xid: str | None = None,
    ) -> tuple[list[str], None]:
        claimed: list[str] = []
        slots = queue._worker_concurrency or 0  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        for partition, count in next_partitions(slots - running).items():
            # As if so many slots were taken that just these fit.
            taken = slots - count
            found, _ = claim(queue, executor_id, app_version, partition, taken, owner_xid=owner_xid)
            claimed += found
        return claimed, None

    # Narrower than what it stands for: our queue has no limits by partition, of which the rest would be.
    database.start_queued_workflows = claim_in_lane  # pyright: ignore[reportAttributeAccessIssue]


def _keep_quiet() -> None:
    """Send what dbos logs to the root logger; it would install a console handler of its own."""
    logger = logging.getLogger("dbos")
    logger.setLevel(logging.WARNING)
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
        logger.addFilter(Sparing())
        logger.addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    # That the task of a shard was cancelled is not: we cancelled it.
    return not record.getMessage().startswith("Asyncio task cancelled")
