"""Requests made to a model before the first item, so that no item meets a cold endpoint."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from assay.domain.benchmark import Cue
from assay.domain.calls.messages import Completion, Generation, Json, Prompt
from assay.domain.calls.pricing import usage_cost_usd
from assay.domain.errors import CallError
from assay.domain.event import Event, EventType
from assay.domain.run import RunId
from assay.domain.stats import plural
from assay.engine.execution.attempt import AttemptContext, exchange
from assay.engine.ports import Request
from assay.engine.stores.events import EventStore

# Shares no beginning with any item, so that it fills no prompt cache for one.
_PROMPT = Prompt.of_user("Count from one to ten in words.")
_ANSWER = "one, two, three, four, five, six, seven, eight, nine, ten"
_GENERATION = Generation(max_tokens=64)


@dataclass(slots=True)
class WarmUps:
    """The models of one run that were warmed up in this process."""

    run_id: RunId
    events: EventStore
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock])
    _warm: set[str] = field(default_factory=set[str])

    async def ensure(self, context: AttemptContext, requests: int) -> None:
        """Return when the evaluation's model is warm; the first caller makes the requests."""
        if not requests:
            return
        model = context.evaluation.model
        async with self._locks.setdefault(model, asyncio.Lock()):
            if model not in self._warm:
                await self._warm_up(context, requests)
                self._warm.add(model)

    async def _warm_up(self, context: AttemptContext, requests: int) -> None:
        """One after the other; a request that fails is not repeated."""
        replies: list[Completion] = []
        for _ in range(requests):
            try:
                replies.append(await exchange(context, _REQUEST, []))
            except CallError:
                continue
        data = _used(replies, context) | {"requests": requests, "failed": requests - len(replies)}
        event = Event(
            run_id=self.run_id,
            type=EventType.MODEL_WARMED_UP,
            created_at=context.clock.now(),
            message=f"{plural(requests, 'request')} before the first item",
            model=context.evaluation.model,
            data=data,
        )
        await self.events.add([event])


_REQUEST = Request(_PROMPT, _GENERATION, cue=lambda: Cue(right=_ANSWER, wrong=_ANSWER))


def _used(replies: Sequence[Completion], context: AttemptContext) -> dict[str, Json]:
    """Tokens and cost of the replies, counted towards the budget; None where any of it is unknown."""
    costs = [usage_cost_usd(one.usage, context.evaluation.price) for one in replies]
    known = [cost for cost in costs if cost is not None]
    spent = sum(known, Decimal(0))
    tokens = [(one.usage.input_tokens, one.usage.output_tokens) for one in replies]
    context.budget.usd += spent
    context.budget.tokens += sum((sent or 0) + (received or 0) for sent, received in tokens)
    return {
        "input_tokens": _total([sent for sent, _ in tokens]),
        "output_tokens": _total([received for _, received in tokens]),
        "cost_usd": float(spent) if len(known) == len(costs) else None,
    }


def _total(counts: Sequence[int | None]) -> int | None:
    return None if None in counts else sum(count or 0 for count in counts)
