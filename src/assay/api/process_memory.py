"""What a serving process remembers between requests; nothing is lost when it is forgotten."""

from dataclasses import dataclass
from functools import partial
from typing import Final, Self

from assay.api.event_hub import EventHub, HubOptions
from assay.api.metrics import Metrics
from assay.api.recent import Fresh, Recent
from assay.api.schemas.items import ItemSummary
from assay.api.schemas.overview import TokenStats
from assay.api.token_stats import token_stats
from assay.engine.leaderboard import PairMemory
from assay.engine.queue_estimate import PaceMeter
from assay.engine.runs import Engine

_TOKENS_FOR_S: Final = 60.0
_METRICS_FOR_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class ProcessMemory:
    events: EventHub
    pairs: PairMemory
    pace: PaceMeter
    summaries: Recent[ItemSummary]
    tokens: Fresh[TokenStats]
    metrics: Fresh[bytes]

    @classmethod
    def of(cls, engine: Engine, hub: HubOptions) -> Self:
        return cls(
            events=EventHub(engine.store, hub),
            pairs=PairMemory(engine.store),
            pace=PaceMeter(),
            summaries=Recent(),
            tokens=Fresh(partial(token_stats, engine.store, engine.clock), for_s=_TOKENS_FOR_S),
            metrics=Fresh(Metrics(engine).exposition, for_s=_METRICS_FOR_S),
        )
