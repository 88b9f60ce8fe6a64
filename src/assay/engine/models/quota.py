"""Keeps the calls of all processes to an endpoint within its limits per minute."""

import asyncio
from collections import deque
from dataclasses import dataclass, replace
from math import ceil, inf

from assay.domain.calls.messages import Completion
from assay.domain.calls.quota import SPAN_S, Claim, Unit, units_per_span
from assay.engine.ports import Clock, Request
from assay.engine.stores.quotas import QuotaStore

# The share of a minute's tokens that a call is assumed to use until one was answered.
_UNKNOWN_SHARE = 0.02
# Until this many calls were answered, a call is assumed to use as much as the largest of them.
_FIRST_CALLS = 5
_SMOOTHING = 0.2
# How many calls' worth of unused tokens is kept. More would allow bursts; with less, a quarter of the quota
# was lost where calls differ much.
_KEPT_CALLS = 3
_CHARACTERS_PER_TOKEN = 4
# The shortest time over which demand is measured: the first calls of a run all begin at once.
_MEASURED_S = 0.25
_LEAST_WAIT_S = 0.02


@dataclass(frozen=True, slots=True)
class EndpointLimits:
    """Limits of all processes together for each endpoint; None means no limit."""

    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class Quotas:
    """One quota for each endpoint, shared by all calls of this process."""

    def __init__(self, limits: EndpointLimits, *, store: QuotaStore, clock: Clock) -> None:
        self._limits = limits
        self._store = store
        self._clock = clock
        self._quotas: dict[str, Quota] = {}

    def of(self, endpoint: str) -> "Quota":
        if endpoint not in self._quotas:
            limits = self._limits
            self._quotas[endpoint] = Quota(
                requests=self._meter(endpoint, "requests", limits.requests_per_minute),
                tokens=self._meter(endpoint, "tokens", limits.tokens_per_minute),
            )
        return self._quotas[endpoint]

    def _meter(self, endpoint: str, unit: Unit, per_minute: int | None) -> "Meter | None":
        if per_minute is None:
            return None
        return Meter(Claim(endpoint, unit, per_minute, wanted=0), store=self._store, clock=self._clock)


class Quota:
    """Delays calls. Each `begin` is followed by one `end`, with `answered` before it on success."""

    def __init__(self, *, requests: "Meter | None", tokens: "Meter | None") -> None:
        self._requests = requests
        self._tokens = tokens
        self._turn = asyncio.Lock()
        self._waiting = 0
        # The tokens that a call is assumed to use until it has ended.
        self._typical = 0.0 if tokens is None else tokens.per_minute * _UNKNOWN_SHARE
        self._answers = 0
        self._reserved: deque[float] = deque()
        self._used: int | None = None

    async def begin(self) -> None:
        self._waiting += 1
        try:
            async with self._turn:
                if self._tokens is not None:
                    await self._tokens.cover(self._typical, callers=self._waiting)
                if self._requests is not None:
                    await self._requests.cover(1, callers=self._waiting)
                    self._requests.spend(1)
                if self._tokens is not None:
                    self._tokens.spend(self._typical)
                    self._reserved.append(self._typical)
        finally:
            self._waiting -= 1

    def answered(self, request: Request, completion: Completion) -> None:
        """Called right before `end`, so that no other call ends in between."""
        if self._tokens is not None:
            self._used = tokens_used(request, completion)

    def end(self) -> None:
        """A call without an answer counts as a typical one, because providers count it too."""
        if self._tokens is None:
            return
        # Which call reserved it does not matter: reservations and use add up over all calls.
        reserved, used = self._reserved.popleft(), self._used
        self._used = None
        if used is None:
            return
        self._learn(used)
        self._tokens.correct(reserved - used, most=_KEPT_CALLS * self._typical)

    def _learn(self, used: int) -> None:
        if self._answers == 0:
            self._typical = used
        elif self._answers < _FIRST_CALLS:
            self._typical = max(self._typical, used)
        else:
            self._typical += _SMOOTHING * (used - self._typical)
        self._answers += 1


class Meter:
    """Units granted to this process and not used; negative after calls used more than was reserved."""

    def __init__(self, claim: Claim, *, store: QuotaStore, clock: Clock) -> None:
        self._claim = claim
        self._store = store
        self._clock = clock
        self._left = 0.0
        self._due_at = -inf
        self._expires_at = inf
        self._asked_at = -inf
        self._spent = 0.0

    @property
    def per_minute(self) -> int:
        return self._claim.per_minute

    def spend(self, amount: float) -> None:
        self._left -= amount
        self._spent += amount

    def correct(self, amount: float, *, most: float) -> None:
        """Spend more, or return what was not used; up to `most` or a second's worth stays usable."""
        self._left += amount
        if amount > 0:
            self._left = min(self._left, max(most, units_per_span(self.per_minute)))
            self._expires_at = max(self._expires_at, self._clock.monotonic() + SPAN_S)

    async def cover(self, amount: float, *, callers: int) -> None:
        """Wait until `amount` may be spent, one caller at a time; `callers` includes this one."""
        while True:
            now = self._clock.monotonic()
            if now > self._expires_at:
                self._left = min(self._left, 0.0)
            if self._left < amount:
                await self._claim_more(amount, callers)
            elif now < self._due_at:
                await self._clock.sleep(self._due_at - now)
            else:
                return

    async def _claim_more(self, amount: float, callers: int) -> None:
        asked_at = self._clock.monotonic()
        wanted = self._wanted(amount, callers, asked_at)
        grant = await self._store.grant(replace(self._claim, wanted=wanted))
        if not grant.amount:
            await self._clock.sleep(max(grant.due_in_s, _LEAST_WAIT_S))
            # What calls have returned meanwhile does not expire: it was waited for.
            self._expires_at = self._clock.monotonic() + SPAN_S
            return
        self._left += grant.amount
        # Counted from the start or the end of the exchange, whichever leaves less time.
        self._due_at = self._clock.monotonic() + grant.due_in_s
        self._expires_at = asked_at + grant.due_in_s + SPAN_S
        self._asked_at, self._spent = asked_at, 0.0

    def _wanted(self, amount: float, callers: int, now: float) -> int:
        """What is missing and what is needed soon: one claim a second serves any number of calls."""
        if self._left < 0:
            # Claimed alone, so that the next claim is due after the endpoint has served the excess.
            return ceil(-self._left)
        missing = amount - self._left
        soon = amount * (callers - 1) + SPAN_S * self._spent / max(now - self._asked_at, _MEASURED_S)
        return ceil(max(missing, min(missing + soon, units_per_span(self.per_minute))))


def tokens_used(request: Request, completion: Completion) -> int:
    """As the server counted them, else estimated from the length of the texts."""
    usage = completion.usage
    if usage.input_tokens is not None and usage.output_tokens is not None:
        return usage.input_tokens + usage.output_tokens
    texts = (request.prompt.text, completion.reasoning, completion.answer)
    return ceil(sum(map(len, texts)) / _CHARACTERS_PER_TOKEN)
