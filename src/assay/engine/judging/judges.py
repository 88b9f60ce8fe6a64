"""Judges at work: calls with retries, each kept, with what they cost."""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from http import HTTPStatus
from typing import TypeGuard

from assay.domain.attempt import Call
from assay.domain.benchmark import Cue, Panel
from assay.domain.errors import (
    CallError,
    CallTimeoutError,
    EndpointError,
    GraderError,
    RateLimitedError,
    ServerError,
)
from assay.domain.judging import Judging
from assay.domain.messages import Completion, Generation, Prompt, merged_generation
from assay.domain.pricing import Price, usage_cost_usd
from assay.domain.summary import Tokens
from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.models.quota import Quotas
from assay.engine.models.registry import registered_price
from assay.engine.models.retry import RetryPolicy, next_delay_s
from assay.engine.ports import Clock, ModelClient, ModelDirectory, Request
from assay.engine.stores.registry import ModelRegistry

_JITTER = 0.25
# A judge that is down costs a verdict, not an answer: the answer is stored and can be judged later, so there
# is no reason to hold up the run for it. Being told to wait is another matter.
_PATIENCE_S = 30.0
_DOUBTFUL_TRIES = 2


@dataclass(slots=True)
class Ledger:
    """What judging one answer took; `usd` is None as soon as any of it is unknown."""

    calls: list[Call] = field(default_factory=list[Call])
    usd: Decimal | None = Decimal(0)

    def add(self, call: Call, price: Price | None) -> None:
        self.calls.append(call)
        if call.status is not None and call.status != HTTPStatus.OK:
            return  # a refused call is not charged; one that was given up may be
        cost = usage_cost_usd(call.usage, price)
        self.usd = None if cost is None or self.usd is None else self.usd + cost


@dataclass(frozen=True, slots=True)
class OpenJudge:
    """A judge that can be asked: its client, and the limit it shares with all who ask its endpoint."""

    client: ModelClient
    limiter: AdaptiveLimiter
    clock: Clock
    judging: Judging
    policy: RetryPolicy = RetryPolicy()

    @property
    def price(self) -> Price | None:
        return self.judging.prices.get(self.client.model)

    async def check(self) -> None:
        """Raise EndpointError if nothing asked of this judge could succeed."""
        try:
            await self.client.check()
        except EndpointError as error:
            message = f"the judge {self.client.model!r} cannot be asked: {error.message}"
            raise type(error)(message, status=error.status) from error


@dataclass(frozen=True, slots=True)
class JudgeBench:
    """The judges of a run; `panel` binds them to the ledger of one answer."""

    judges: tuple[OpenJudge, ...]
    votes: int = 1

    def panel(self, ledger: Ledger) -> Panel:
        return Panel(tuple(_SittingJudge(judge, ledger) for judge in self.judges), self.votes)

    async def check(self) -> None:
        for judge in self.judges:
            await judge.check()

    async def close(self) -> None:
        for judge in self.judges:
            await judge.client.close()


LimiterOf = Callable[[ModelClient], AdaptiveLimiter]
"""Gives the limiter of the endpoint that a client asks."""


def opened_bench(
    judging: Judging, models: ModelDirectory, *, clock: Clock, limiter_of: LimiterOf, policy: RetryPolicy
) -> JudgeBench:
    """The judges with their clients; nothing is asked yet."""
    clients = [models.open(model, base_url=judging.base_url) for model in judging.models]
    return JudgeBench(
        tuple(OpenJudge(client, limiter_of(client), clock, judging, policy) for client in clients),
        judging.votes,
    )


def own_limiters(clock: Clock, *, maximum: int, quotas: Quotas | None = None) -> LimiterOf:
    """Limiters for work beside a run: one for each endpoint."""
    made: dict[str, AdaptiveLimiter] = {}

    def limiter(client: ModelClient) -> AdaptiveLimiter:
        endpoint = client.endpoint
        if endpoint not in made:
            quota = quotas.of(endpoint) if quotas else None
            made[endpoint] = AdaptiveLimiter(clock, maximum=maximum, quota=quota)
        return made[endpoint]

    return limiter


async def with_prices(
    judging: Judging, models: ModelDirectory, registry: ModelRegistry | None = None
) -> Judging:
    """The same judging with each judge's price as of now, else as registered, where it is known."""
    prices: dict[str, Price] = {}
    for model in judging.models:
        client = models.open(model, base_url=judging.base_url)
        try:
            price = await client.price()
        except EndpointError:
            # The check before the first call will meet the same error and report it.
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
    """Sums over the calls to judges; an answered call without usage counts as unknown."""
    tokens = Tokens()
    for call in calls:
        if call.role != "judge":
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


class _SittingJudge:
    """A judge as a grader sees it."""

    def __init__(self, judge: OpenJudge, ledger: Ledger) -> None:
        self._judge = judge
        self._ledger = ledger

    @property
    def model(self) -> str:
        return self._judge.client.model

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        settings = merged_generation(generation, self._judge.judging.generation)
        try:
            return await self._answered(Request(prompt, settings, cue=lambda: cue, sample=vote))
        except (CallError, EndpointError) as error:
            raise GraderError(f"the judge {self.model!r} gave no reply: {error.message}") from error

    async def _answered(self, request: Request) -> Completion:
        clock = self._judge.clock
        first, tries = clock.monotonic(), 0
        while True:
            tries += 1
            try:
                return await self._called(request)
            except CallError as error:
                elapsed_s = clock.monotonic() - first
                delay_s = next_delay_s(self._policy(error), error, tries=tries, elapsed_s=elapsed_s)
                if delay_s is None:
                    raise
                await clock.sleep(delay_s * (1 + _JITTER * random.random()))  # noqa: S311

    def _policy(self, error: CallError) -> RetryPolicy:
        policy = self._judge.policy
        if isinstance(error, RateLimitedError):
            return policy
        return replace(
            policy,
            deadline_s=min(policy.deadline_s, _PATIENCE_S),
            doubtful_tries=min(policy.doubtful_tries, _DOUBTFUL_TRIES),
        )

    async def _called(self, request: Request) -> Completion:
        judge, clock = self._judge, self._judge.clock
        concurrency = await judge.limiter.acquire()
        call = Call(clock.now(), 0.0, role="judge", concurrency=concurrency)
        begin = clock.monotonic()
        try:
            completion = await self._timed(request)
            judge.limiter.succeeded(completion.timing.ttft_ms if completion.timing else None)
            if judge.limiter.quota is not None:
                judge.limiter.quota.answered(request, completion)
        except (CallError, EndpointError) as error:
            if _is_pushing_back(error):
                judge.limiter.pushed_back(error.retry_after_s)
            self._note(call, begin, status=error.status, error_code=error.code, error_message=error.message)
            raise
        finally:
            judge.limiter.release()
        self._note(
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

    def _note(self, call: Call, begin: float, **ending: object) -> None:
        duration_ms = (self._judge.clock.monotonic() - begin) * 1000
        self._ledger.add(replace(call, duration_ms=duration_ms, **ending), self._judge.price)


def _is_pushing_back(error: CallError | EndpointError) -> TypeGuard[CallError]:
    return isinstance(error, RateLimitedError) or (
        isinstance(error, ServerError) and error.status == HTTPStatus.SERVICE_UNAVAILABLE
    )
