"""Everything that outlives the process, as one small protocol for each thing that is stored."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from assay.engine.stores.arena import ArenaStore
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.datasets import DatasetStore
from assay.engine.stores.events import EventStore
from assay.engine.stores.fleet import FleetStore
from assay.engine.stores.identity import IdentityStore
from assay.engine.stores.load_tests import LoadTestStore
from assay.engine.stores.offload import OffloadStore
from assay.engine.stores.quotas import QuotaStore
from assay.engine.stores.registry import ModelRegistry
from assay.engine.stores.reviews import ReviewStore
from assay.engine.stores.runs import RunStore
from assay.engine.stores.sealed import SealedStore
from assay.engine.stores.secrets import SecretStore
from assay.engine.stores.shards import ShardStore
from assay.engine.stores.steps import StepStore
from assay.engine.stores.webhooks import WebhookStore


@dataclass(frozen=True, slots=True)
class Stores:
    """The stores of one database."""

    runs: RunStore
    shards: ShardStore
    attempts: AttemptStore
    offload: OffloadStore
    steps: StepStore
    events: EventStore
    datasets: DatasetStore
    identity: IdentityStore
    fleet: FleetStore
    reviews: ReviewStore
    quotas: QuotaStore
    registry: ModelRegistry
    secrets: SecretStore
    sealed: SealedStore
    load_tests: LoadTestStore
    webhooks: WebhookStore
    arena: ArenaStore
    close: Callable[[], Awaitable[None]]
