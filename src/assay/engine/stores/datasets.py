"""The store of users' own data sets."""

from datetime import datetime
from typing import Protocol

from assay.domain.datasets.dataset import DataSet, DatasetId, DatasetRef


class DatasetStore(Protocol):
    """Each method is one transaction. A version that was removed is never given to another content."""

    async def add(self, dataset: DataSet, *, by_operator: bool = True) -> DataSet:
        """Store it as the next version of its name, whatever its `version` is.

        Gives the newest version instead where that has the same content and is graded the same. Raises
        NotTheOwnerError where the name belongs to another user, except for the operator.
        """
        ...

    async def list(self) -> tuple[DataSet, ...]:
        """Those that were not removed, newest first."""
        ...

    async def get(self, dataset_id: DatasetId) -> DataSet:
        """Raises UnknownNameError, also where it was removed."""
        ...

    async def named(self, ref: DatasetRef) -> DataSet:
        """The version asked for, or the newest; raises UnknownNameError."""
        ...

    async def remove(self, dataset_id: DatasetId, *, at: datetime) -> bool:
        """Returns whether no other data set has its content; raises UnknownNameError."""
        ...
