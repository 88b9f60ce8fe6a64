"""The part of the SQL store that keeps the registry of models."""

from collections.abc import Sequence
from datetime import datetime

from assay.adapters.store import registry_queries
from assay.adapters.store.engine import Database
from assay.domain.registry import ListedModel, RegisteredModel
from assay.engine.stores.registry import Change, ModelFilter, RegisteredPage


class SqlRegistry:
    database: Database

    async def register_models(self, provider: str, listed: Sequence[ListedModel], *, at: datetime) -> Change:
        return await self.database.write(
            lambda connection: registry_queries.register(connection, provider, listed, at=at)
        )

    async def registered_models(self, wanted: ModelFilter) -> RegisteredPage:
        return await self.database.read(lambda connection: registry_queries.page(connection, wanted))

    async def models_called(self, name: str) -> tuple[RegisteredModel, ...]:
        return await self.database.read(lambda connection: registry_queries.called(connection, name))
