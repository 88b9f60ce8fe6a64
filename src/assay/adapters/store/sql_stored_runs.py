"""The part of the SQL store that tells how runs stand."""

from collections.abc import Mapping, Sequence

from assay.adapters.store import latency_queries, stored_run_queries
from assay.adapters.store.engine import Database
from assay.domain.run import RunId, State
from assay.domain.shard import Shard
from assay.engine.stores.latencies import Latencies
from assay.engine.stores.runs import RunFilter, StoredPage, StoredRun


class SqlStoredRuns:
    database: Database

    async def stored_page(self, wanted: RunFilter) -> StoredPage:
        return await self.database.read(lambda connection: stored_run_queries.page(connection, wanted))

    async def stored_run(self, run_id: str) -> StoredRun:
        return await self.database.read(lambda connection: stored_run_queries.one(connection, run_id))

    async def state_counts(self) -> Mapping[State, int]:
        return await self.database.read(stored_run_queries.state_counts)

    async def latencies(self, run_ids: Sequence[RunId]) -> Mapping[str, Latencies]:
        return await self.database.read(lambda connection: latency_queries.latencies(connection, run_ids))

    async def open_shards(self, run_ids: Sequence[RunId]) -> tuple[Shard, ...]:
        return await self.database.read(
            lambda connection: stored_run_queries.open_shards(connection, run_ids)
        )
