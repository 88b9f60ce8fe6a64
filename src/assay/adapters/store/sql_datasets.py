"""The part of the SQL store that keeps users' data sets."""

from datetime import datetime

from assay.adapters.store import dataset_queries
from assay.adapters.store.engine import Database
from assay.domain.dataset import DataSet, DatasetId, DatasetRef


class SqlDatasets:
    database: Database

    async def add_dataset(self, dataset: DataSet) -> DataSet:
        return await self.database.write(lambda connection: dataset_queries.add(connection, dataset))

    async def list_datasets(self) -> tuple[DataSet, ...]:
        return await self.database.read(dataset_queries.every)

    async def dataset(self, dataset_id: DatasetId) -> DataSet:
        return await self.database.read(lambda connection: dataset_queries.one(connection, dataset_id))

    async def dataset_named(self, ref: DatasetRef) -> DataSet:
        return await self.database.read(lambda connection: dataset_queries.named(connection, ref))

    async def remove_dataset(self, dataset_id: DatasetId, *, at: datetime) -> bool:
        return await self.database.write(
            lambda connection: dataset_queries.remove(connection, dataset_id, at=at)
        )
