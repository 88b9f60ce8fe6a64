"""What a serving process remembers between requests; nothing is lost when it is forgotten."""

from dataclasses import dataclass
from functools import partial
from typing import Final, Self

from assay.api.event_hub import EventHub, HubOptions
from assay.api.metrics import Metrics
from assay.api.recent import Fresh, Recent
from assay.api.schemas.items import ItemSummary
from assay.api.schemas.latency import LatencyReport
from assay.api.schemas.overview import TokenStats
from assay.api.token_stats import token_stats
from assay.engine.agreement import Agreements
from assay.engine.leaderboard import PairMemory
from assay.engine.queue_estimate import PaceMeter
from assay.engine.runs import Engine

# Each holds a word about every item of the evaluations.
_AGREEMENTS_KEPT: Final = 8
_TOKENS_FOR_S: Final = 60.0
_METRICS_FOR_S: Final = 5.0


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

    @classmethod
    def of(cls, engine: Engine, hub: HubOptions) -> Self:
        return cls(
            events=EventHub(engine.store, hub),
            pairs=PairMemory(engine.store),
            pace=PaceMeter(),
            summaries=Recent(),
            latencies=Recent(),
            agreements=Recent(kept=_AGREEMENTS_KEPT),
            tokens=Fresh(partial(token_stats, engine.store, engine.clock), for_s=_TOKENS_FOR_S),
            metrics=Fresh(Metrics(engine).exposition, for_s=_METRICS_FOR_S),
        )
