"""What the warm-up requests of a run used, from its events."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.domain.event import EventType
from assay.domain.json_value import Json
from assay.domain.run import Run
from assay.engine.stores.events import EventStore

_EVENTS_READ = 1_000


@dataclass(frozen=True, slots=True)
class WarmUpTotal:
    """Of one model, over every process that executed the run; None where any of it is unknown."""

    requests: int
    failed: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


async def warm_up_totals(events: EventStore, run: Run) -> Mapping[str, WarmUpTotal]:
    """By model; empty for a run without warm-up requests."""
    found: dict[str, list[Mapping[str, Json]]] = defaultdict(list)
    after: int | None = 0 if run.spec.warmup else None
    while after is not None:
        page = await events.page(run.id, after=after, limit=_EVENTS_READ)
        for event in page:
            if event.type is EventType.MODEL_WARMED_UP and event.model is not None:
                found[event.model].append(event.data)
        after = page[-1].id if page else None
    return {model: _total(data) for model, data in found.items()}


def _total(data: Sequence[Mapping[str, Json]]) -> WarmUpTotal:
    def count(name: str) -> int | None:
        total = figure(name)
        return None if total is None else round(total)

    def figure(name: str) -> float | None:
        values = [one.get(name) for one in data]
        numbers = [value for value in values if isinstance(value, int | float)]
        return math.fsum(numbers) if len(numbers) == len(values) else None

    return WarmUpTotal(
        requests=count("requests") or 0,
        failed=count("failed") or 0,
        input_tokens=count("input_tokens"),
        output_tokens=count("output_tokens"),
        cost_usd=figure("cost_usd"),
    )
