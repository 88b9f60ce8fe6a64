"""The stores over SQLAlchemy: SQLite in a file, or Postgres."""

from assay.adapters.store.arena.store import SqlArenaStore
from assay.adapters.store.attempts.store import SqlAttemptStore
from assay.adapters.store.attempts.writer_process import BatchWriter
from assay.adapters.store.database.database import Database, connected
from assay.adapters.store.database.remote_texts import DatabaseWithRemoteTexts, RemoteTexts
from assay.adapters.store.database.url import located
from assay.adapters.store.datasets.store import SqlDatasetStore
from assay.adapters.store.events.store import SqlEventStore
from assay.adapters.store.fleet.store import SqlFleetStore
from assay.adapters.store.identity.store import SqlIdentityStore
from assay.adapters.store.load_tests.store import SqlLoadTestStore
from assay.adapters.store.offload.attempts import OffloadableAttempts
from assay.adapters.store.offload.store import SqlOffloadStore
from assay.adapters.store.quotas.store import SqlQuotaStore
from assay.adapters.store.registry.store import SqlModelRegistry
from assay.adapters.store.reviews.store import SqlReviewStore
from assay.adapters.store.runs.shards import SqlShardStore
from assay.adapters.store.runs.store import SqlRunStore
from assay.adapters.store.schema import prepare
from assay.adapters.store.sealed.store import SqlSealedStore
from assay.adapters.store.secrets.store import SqlSecretStore
from assay.adapters.store.steps.store import SqlStepStore
from assay.adapters.store.webhooks.store import SqlWebhookStore
from assay.engine.objects import ObjectStore
from assay.engine.stores import Stores
from assay.engine.stores.offload import NoOffloadFiles, OffloadFiles


async def open_stores(
    url: str, objects: ObjectStore | None = None, *, offloaded: OffloadFiles | None = None
) -> Stores:
    """Open the database at this URL, creating or upgrading its tables as needed; raises StoreError.

    With `objects`, long texts are stored there; `offloaded` is where the attempts of offloaded runs are.
    """
    location = located(url)
    database = connected(location)
    try:
        await prepare(database)
    except BaseException:
        await database.close()
        raise
    writer = BatchWriter(location) if location.kind == "sqlite" else None
    if objects is None:
        return sql_stores(database, writer, offloaded=offloaded)
    remote = RemoteTexts(objects)
    return sql_stores(DatabaseWithRemoteTexts(database, remote), writer, remote, offloaded=offloaded)


def sql_stores(
    database: Database,
    writer: BatchWriter | None = None,
    remote: RemoteTexts | None = None,
    *,
    offloaded: OffloadFiles | None = None,
) -> Stores:
    """The stores of a database that has the tables; with a `writer`, it writes large batches of attempts."""
    files = offloaded or NoOffloadFiles()
    attempts = OffloadableAttempts(database, files, writer, remote)
    stored, runs = SqlAttemptStore(database, writer, remote), SqlRunStore(database, remote)

    async def close() -> None:
        await attempts.close()
        await database.close()

    return Stores(
        runs=runs,
        shards=SqlShardStore(database),
        attempts=attempts,
        offload=SqlOffloadStore(database, files, stored=stored, run_store=runs),
        steps=SqlStepStore(database),
        events=SqlEventStore(database),
        datasets=SqlDatasetStore(database),
        identity=SqlIdentityStore(database),
        fleet=SqlFleetStore(database),
        reviews=SqlReviewStore(database),
        quotas=SqlQuotaStore(database),
        registry=SqlModelRegistry(database),
        secrets=SqlSecretStore(database),
        sealed=SqlSealedStore(database),
        load_tests=SqlLoadTestStore(database),
        webhooks=SqlWebhookStore(database),
        arena=SqlArenaStore(database),
        close=close,
    )
