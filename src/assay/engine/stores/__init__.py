"""Everything that outlives the process, as one small protocol for each thing that is stored."""

from typing import Protocol

from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.datasets import DatasetStore
from assay.engine.stores.events import EventStore
from assay.engine.stores.fleet import FleetStore
from assay.engine.stores.identity import IdentityStore
from assay.engine.stores.quotas import QuotaStore
from assay.engine.stores.registry import ModelRegistry
from assay.engine.stores.reviews import ReviewStore
from assay.engine.stores.runs import RunStore
from assay.engine.stores.secrets import SecretStore
from assay.engine.stores.shards import ShardStore


class Stores(Protocol):
    """The stores of one database."""

    @property
    def runs(self) -> RunStore: ...

    @property
    def shards(self) -> ShardStore: ...

    @property
    def attempts(self) -> AttemptStore: ...

    @property
    def events(self) -> EventStore: ...

    @property
    def datasets(self) -> DatasetStore: ...

    @property
    def identity(self) -> IdentityStore: ...

    @property
    def fleet(self) -> FleetStore: ...

    @property
    def reviews(self) -> ReviewStore: ...

    @property
    def quotas(self) -> QuotaStore: ...

    @property
    def registry(self) -> ModelRegistry: ...

    @property
    def secrets(self) -> SecretStore: ...

    async def close(self) -> None: ...
