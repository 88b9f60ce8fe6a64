"""What a serving process remembers between requests; nothing is lost when it is forgotten."""

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Self

from assay.api.events.event_hub import EventHub, HubOptions
from assay.api.operations.metrics import Metrics
from assay.api.operations.token_stats import token_stats
from assay.api.recent import Fresh, Recent
from assay.api.runs.rendered_runs import RenderedRuns
from assay.api.schemas.items import ItemSummary
from assay.api.schemas.latency import LatencyReport
from assay.api.schemas.overview import TokenStats
from assay.api.schemas.runs import Run, RunDetail
from assay.api.schemas.sandboxes import SandboxReport
from assay.domain.errors import AssayError
from assay.engine.execution.engine import Engine
from assay.engine.fleet.queue_estimate import PaceMeter
from assay.engine.models.registry import ModelCatalogues, sync_models
from assay.engine.ports import Clock
from assay.engine.results.agreement import Agreements
from assay.engine.results.leaderboard import PairMemory
from assay.engine.sandbox.health import SandboxHealth

# Each holds a word about every item of the evaluations.
_AGREEMENTS_KEPT: Final = 8
_TOKENS_FOR_S: Final = 60.0
_METRICS_FOR_S: Final = 5.0
_SANDBOXES_FOR_S: Final = 60.0
# However often callers ask for models that are not there.
_REGISTRY_FOR_S: Final = 60.0
# Its catalogue is public, so it can be read for callers who bring their own key.
_PUBLIC: Final = "chutes"

ExamineSandboxes = Callable[[], Awaitable[SandboxHealth]]


@dataclass(frozen=True, slots=True)
class ProcessMemory:
    events: EventHub
    pairs: PairMemory
    pace: PaceMeter
    summaries: Recent[ItemSummary]
    latencies: Recent[LatencyReport]
    agreements: Recent[Agreements]
    tokens: Fresh[TokenStats]
    metrics: Fresh[bytes]
    listed_runs: RenderedRuns[Run]
    detailed_runs: RenderedRuns[RunDetail]
    sandboxes: Fresh[SandboxReport]
    registry: Fresh[None]

    @classmethod
    def of(
        cls,
        engine: Engine,
        hub: HubOptions,
        *,
        examine: ExamineSandboxes,
        catalogues: ModelCatalogues,
    ) -> Self:
        return cls(
            events=EventHub(engine.stores, hub),
            pairs=PairMemory(engine.stores.attempts),
            pace=PaceMeter(),
            summaries=Recent(),
            latencies=Recent(),
            agreements=Recent(kept=_AGREEMENTS_KEPT),
            tokens=Fresh(partial(token_stats, engine.stores, engine.clock), for_s=_TOKENS_FOR_S),
            metrics=Fresh(Metrics(engine).exposition, for_s=_METRICS_FOR_S),
            listed_runs=RenderedRuns(Run.of),
            detailed_runs=RenderedRuns(RunDetail.of),
            sandboxes=Fresh(partial(_sandboxes, examine, engine.clock), for_s=_SANDBOXES_FOR_S),
            registry=Fresh(partial(_follow, engine, catalogues), for_s=_REGISTRY_FOR_S),
        )


async def _sandboxes(examine: ExamineSandboxes, clock: Clock) -> SandboxReport:
    return SandboxReport.of(await examine(), at=clock.now())


async def _follow(engine: Engine, catalogues: ModelCatalogues) -> None:
    provider = None if catalogues.configured() else _PUBLIC
    # A catalogue that cannot be read leaves a model unknown, which is what the caller is told.
    with contextlib.suppress(AssayError):
        await sync_models(engine.stores.registry, catalogues, provider=provider, at=engine.clock.now())
