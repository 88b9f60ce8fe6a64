"""Users' data sets in plain Python."""

from datetime import datetime

from assay.adapters.store.rules import is_same_dataset, next_version, unknown_dataset
from assay.domain.dataset import DataSet, DatasetId, DatasetRef


class MemoryDatasets:
    """A part of the store in memory; each method is one transaction."""

    def __init__(self) -> None:
        self._datasets: dict[DatasetId, DataSet] = {}
        self._removed: set[DatasetId] = set()

    async def add_dataset(self, dataset: DataSet) -> DataSet:
        of_name = [one for one in self._datasets.values() if one.name == dataset.name]
        newest = max((one for one in of_name if one.id not in self._removed), key=_version, default=None)
        if newest is not None and is_same_dataset(newest, dataset):
            return newest
        stored = next_version(dataset, max(map(_version, of_name), default=None))
        self._datasets[stored.id] = stored
        return stored

    async def list_datasets(self) -> tuple[DataSet, ...]:
        return tuple(sorted(self._here(), key=lambda one: (one.created_at, one.id), reverse=True))

    async def dataset(self, dataset_id: DatasetId) -> DataSet:
        if dataset_id not in self._datasets or dataset_id in self._removed:
            raise unknown_dataset(dataset_id, [])
        return self._datasets[dataset_id]

    async def dataset_named(self, ref: DatasetRef) -> DataSet:
        here = self._here()
        found = [one for one in here if one.name == ref.name and ref.version in (None, one.version)]
        if not found:
            raise unknown_dataset(ref.text, {one.name for one in here})
        return max(found, key=_version)

    async def remove_dataset(self, dataset_id: DatasetId, *, at: datetime) -> bool:
        _ = at
        sha256 = (await self.dataset(dataset_id)).sha256
        self._removed.add(dataset_id)
        return not any(one.sha256 == sha256 for one in self._here())

    def _here(self) -> list[DataSet]:
        return [one for one in self._datasets.values() if one.id not in self._removed]


def _version(dataset: DataSet) -> int:
    return dataset.version
