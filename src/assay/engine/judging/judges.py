"""Calls to judges: retried, recorded, and with what they cost."""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from decimal import Decimal
from http import HTTPStatus

from assay.domain.attempt import Call, CallRole
from assay.domain.benchmark import Cue, Need, Panel
from assay.domain.calls.messages import Completion, Generation, Prompt, merged_generation
from assay.domain.calls.pricing import Price, usage_cost_usd
from assay.domain.errors import (
    CallError,
    CallTimeoutError,
    EndpointError,
    GraderError,
    RateLimitedError,
)
from assay.domain.judging import Judging
from assay.domain.summary import Tokens
from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.models.limits import DEFAULT_CONNECTIONS, CallLimits
from assay.engine.models.registry import registered_price
from assay.engine.models.retry import RetryPolicy, is_pushing_back, next_delay_s
from assay.engine.ports import Clock, ModelClient, ModelDirectory, Request
from assay.engine.stores.registry import ModelRegistry

_JITTER = 0.25
# A judge that is down costs a verdict, not an answer: the answer is stored and can be regraded later, so the
# run need not wait for it. A judge that asks to be called again later is waited for.
_PATIENCE_S = 30.0
_DOUBTFUL_TRIES = 2


@dataclass(slots=True)
class JudgeCalls:
    """The calls to other models in one attempt; `cost_usd` is None if the cost of any of them is unknown."""

    calls: list[Call] = field(default_factory=list[Call])
    cost_usd: Decimal | None = Decimal(0)
    # Entered while a call that failed waits for its next try.
    waiting_to_retry: Callable[[CallError], AbstractContextManager[object]] = nullcontext
    role: CallRole = "judge"

    def add(self, call: Call, price: Price | None) -> None:
        self.calls.append(call)
        if call.status is not None and call.status != HTTPStatus.OK:
            return  # a refused call is not charged; one that timed out may be
        cost = usage_cost_usd(call.usage, price)
        self.cost_usd = None if cost is None or self.cost_usd is None else self.cost_usd + cost


@dataclass(frozen=True, slots=True)
class JudgeClient:
    """The client of one judge, and the limiter that it shares with all calls to its endpoint."""

    client: ModelClient
    limiter: AdaptiveLimiter
    clock: Clock
    judging: Judging
    retries: RetryPolicy = RetryPolicy()

    @property
    def price(self) -> Price | None:
        return self.judging.prices.get(self.client.model)

    async def check(self, needs: frozenset[Need] = frozenset()) -> None:
        """Raise EndpointError if no call to this judge could succeed."""
        try:
            await self.client.check(needs)
        except EndpointError as error:
            message = (
                f"{self.client.model!r}, which judges or plays the user, cannot be asked: {error.message}"
            )
            raise type(error)(message, status=error.status) from error


@dataclass(frozen=True, slots=True)
class Judges:
    """The judges of a run; `panel` records the calls for one answer."""

    clients: tuple[JudgeClient, ...]
    votes: int = 1

    def panel(self, judge_calls: JudgeCalls) -> Panel:
        return Panel(tuple(_PanelJudge(client, judge_calls) for client in self.clients), self.votes)

    async def check(self, needs: frozenset[Need] = frozenset()) -> None:
        for client in self.clients:
            await client.check(needs)

    async def close(self) -> None:
        for judge in self.clients:
            await judge.client.close()


LimiterOf = Callable[[ModelClient], AdaptiveLimiter]
"""Returns the limiter of the endpoint that a client calls."""


def open_judges(
    judging: Judging, models: ModelDirectory, *, clock: Clock, limiter_of: LimiterOf, retries: RetryPolicy
) -> Judges:
    """The judges with their clients; no call is made yet."""
    clients = [models.open(model, base_url=judging.base_url) for model in judging.models]
    return Judges(
        tuple(JudgeClient(client, limiter_of(client), clock, judging, retries) for client in clients),
        judging.votes,
    )


def new_limiters(limits: CallLimits, clock: Clock, *, maximum: int = DEFAULT_CONNECTIONS) -> LimiterOf:
    """One limiter for each endpoint, shared with no run."""
    made: dict[str, AdaptiveLimiter] = {}

    def limiter(client: ModelClient) -> AdaptiveLimiter:
        endpoint = client.endpoint
        if endpoint not in made:
            made[endpoint] = limits.limiter(endpoint, clock=clock, maximum=maximum)
        return made[endpoint]

    return limiter


@dataclass(frozen=True, slots=True)
class JudgeDirectory:
    """Opens judges for answers that are stored: nothing is shared with the run they came from."""

    models: ModelDirectory
    registry: ModelRegistry
    clock: Clock
    limits: CallLimits

    async def open(self, judging: Judging) -> Judges:
        """The judges with their current prices; no call to them is made yet."""
        return open_judges(
            await with_prices(judging, self.models, self.registry),
            self.models,
            clock=self.clock,
            limiter_of=new_limiters(self.limits, self.clock),
            retries=self.limits.retries,
        )


async def with_prices(
    judging: Judging, models: ModelDirectory, registry: ModelRegistry | None = None
) -> Judging:
    """The same judging with the price of each judge: the current one, else the registered one if any."""
    prices: dict[str, Price] = {}
    for model in judging.models:
        client = models.open(model, base_url=judging.base_url)
        try:
            price = await client.price()
        except EndpointError:
            # The check before the first call meets the same error and reports it.
            price = None
        finally:
            await client.close()
        if price is None and registry is not None and judging.base_url is None:
            price = await registered_price(registry, model)
        if price is not None:
            prices[model] = price
    return replace(judging, prices=prices)


def unpriced(judging: Judging) -> Sequence[str]:
    return [model for model in judging.models if model not in judging.prices]


def judge_tokens(calls: Iterable[Call]) -> Tokens:
    """Sums over the calls to other models; an answered call without usage counts as unknown."""
    tokens = Tokens()
    for call in calls:
        if call.role == "model":
            continue
        usage = call.usage
        if usage.input_tokens is not None and usage.output_tokens is not None:
            tokens = replace(
                tokens,
                input=tokens.input + usage.input_tokens,
                output=tokens.output + usage.output_tokens,
                reasoning=tokens.reasoning + (usage.reasoning_tokens or 0),
            )
        elif call.status == HTTPStatus.OK:
            tokens = replace(tokens, unknown=tokens.unknown + 1)
    return tokens


class _PanelJudge:
    """A judge as a grader sees it."""

    def __init__(self, judge: JudgeClient, judge_calls: JudgeCalls) -> None:
        self._judge = judge
        self._judge_calls = judge_calls

    @property
    def model(self) -> str:
        return self._judge.client.model

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        settings = merged_generation(generation, self._judge.judging.generation)
        try:
            return await self._answered(Request(prompt, settings, cue=lambda: cue, sample=vote))
        except (CallError, EndpointError) as error:
            who = "judge" if self._judge_calls.role == "judge" else "user model"
            raise GraderError(f"the {who} {self.model!r} gave no reply: {error.message}") from error

    async def _answered(self, request: Request) -> Completion:
        clock = self._judge.clock
        first, tries = clock.monotonic(), 0
        while True:
            tries += 1
            try:
                return await self._called(request)
            except CallError as error:
                elapsed_s = clock.monotonic() - first
                delay_s = next_delay_s(self._retries(error), error, tries=tries, elapsed_s=elapsed_s)
                if delay_s is None:
                    raise
                with self._judge_calls.waiting_to_retry(error):
                    await clock.sleep(delay_s * (1 + _JITTER * random.random()))  # noqa: S311

    def _retries(self, error: CallError) -> RetryPolicy:
        retries = self._judge.retries
        if isinstance(error, RateLimitedError):
            return retries
        return replace(
            retries,
            deadline_s=min(retries.deadline_s, _PATIENCE_S),
            doubtful_tries=min(retries.doubtful_tries, _DOUBTFUL_TRIES),
        )

    async def _called(self, request: Request) -> Completion:
        judge, clock = self._judge, self._judge.clock
        slot = await judge.limiter.acquire()
        call = Call(clock.now(), 0.0, role=self._judge_calls.role, concurrency=slot.level)
        begin = clock.monotonic()
        try:
            completion = await self._timed(request)
            judge.limiter.succeeded(slot, completion.timing.ttft_ms if completion.timing else None)
            if judge.limiter.quota is not None:
                judge.limiter.quota.answered(request, completion)
        except (CallError, EndpointError) as error:
            if is_pushing_back(error):
                judge.limiter.pushed_back(slot, error.retry_after_s)
            self._record(call, begin, status=error.status, error_code=error.code, error_message=error.message)
            raise
        finally:
            judge.limiter.release()
        self._record(
            call,
            begin,
            status=HTTPStatus.OK,
            finish_reason=completion.finish_reason,
            usage=completion.usage,
            timing=completion.timing,
            served_model=completion.served_model or self.model,
            system_fingerprint=completion.system_fingerprint,
            arrivals=completion.arrivals,
        )
        return completion

    async def _timed(self, request: Request) -> Completion:
        timeout_s = self._judge.judging.timeout_s
        try:
            async with asyncio.timeout(timeout_s):
                return await self._judge.client.complete(request)
        except TimeoutError as error:
            raise CallTimeoutError(f"no whole reply within {timeout_s:g} s") from error

    def _record(self, call: Call, begin: float, **ending: object) -> None:
        duration_ms = (self._judge.clock.monotonic() - begin) * 1000
        self._judge_calls.add(replace(call, duration_ms=duration_ms, **ending), self._judge.price)
