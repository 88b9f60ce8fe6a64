"""One attempt: prompt, calls with retries, verdict."""

import logging
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial

from assay.domain.attempt import Attempt, AttemptKey, Call
from assay.domain.benchmark import Cue, Item, ItemId, ItemSet
from assay.domain.errors import AttemptError, CallError, EndpointError, RateLimitedError, ServerError
from assay.domain.messages import Completion, Prompt, total_usage
from assay.domain.pricing import usage_cost_usd
from assay.domain.run import Evaluation
from assay.engine.execution.budget import Purse
from assay.engine.grading.grade import AttemptStart, Grader, ended_attempt, verdict, with_ledger
from assay.engine.judging.judges import Ledger
from assay.engine.log_context import ATTEMPT
from assay.engine.models.limiter import AdaptiveLimiter
from assay.engine.models.retry import RetryPolicy, next_delay_s
from assay.engine.ports import Clock, ModelClient, Request

_log = logging.getLogger(__name__)
_OVERLOADED = 503
_JITTER = 0.25
_NO_CUE = Cue()


@dataclass(slots=True)
class Halt:
    """Keeps every shard of an evaluation from making further calls once one has met a fatal error."""

    error: EndpointError | None = None

    def must_go_on(self) -> None:
        if self.error is not None:
            raise self.error


@dataclass(frozen=True, slots=True)
class Bench:
    """What the attempts of one evaluation share."""

    evaluation: Evaluation
    item_set: ItemSet
    client: ModelClient
    limiter: AdaptiveLimiter
    grader: Grader
    clock: Clock
    purse: Purse
    policy: RetryPolicy = RetryPolicy()
    # When each attempt under way began, on the monotonic clock: what is listed as stalled.
    waiting: dict[AttemptKey, float] = field(default_factory=dict[AttemptKey, float])
    halt: Halt = field(default_factory=Halt)
    # Of the shard among those of this process: the oldest is worked off first.
    rank: int = 0
    is_judged: bool = False
    item_hashes: Mapping[ItemId, str] = field(default_factory=dict[ItemId, str])


async def perform(bench: Bench, item: Item, sample: int) -> Attempt:
    """Ask the model and grade its answer; any failure but an EndpointError becomes the outcome."""
    key = AttemptKey(item.id, sample)
    ATTEMPT.set(key)
    bench.waiting[key] = bench.clock.monotonic()
    try:
        return await _performed(bench, item, sample)
    finally:
        del bench.waiting[key]


async def _performed(bench: Bench, item: Item, sample: int) -> Attempt:
    started_at = bench.clock.now()
    prompt = bench.item_set.prompt(item)
    cue = partial(bench.item_set.cue, item)
    request = Request(prompt, bench.evaluation.generation, cue=cue, sample=sample)
    calls: list[Call] = []
    ledger = Ledger() if bench.is_judged else None
    completion: Completion | None = None
    try:
        completion = _kept(bench, await _answered(bench, item, request, calls))
        ending = await verdict(bench.grader, item, completion, ledger=ledger)
    except AttemptError as error:
        _log.info("attempt without a verdict: %s", error.message)
        ending = error
    attempt = ended_attempt(
        AttemptStart(bench.evaluation.id, item, sample, started_at, bench.item_hashes.get(item.id)),
        ending,
        finished_at=bench.clock.now(),
        completion=completion,
        prompt=prompt.to_json(),
        cost_usd=_cost_usd(bench, completion),
        calls=tuple(calls),
    )
    return with_ledger(attempt, ledger) if ledger else attempt


def _kept(bench: Bench, completion: Completion) -> Completion:
    answer = bench.item_set.kept(completion.answer)
    return completion if answer == completion.answer else replace(completion, answer=answer)


def _cost_usd(bench: Bench, completion: Completion | None) -> Decimal | None:
    return usage_cost_usd(completion.usage, bench.evaluation.price) if completion else None


async def _answered(bench: Bench, item: Item, request: Request, calls: list[Call]) -> Completion:
    converse = bench.item_set.converse
    if converse is None:
        return await _complete(bench, request, calls)

    async def ask(prompt: Prompt, *, cue: Cue = _NO_CUE) -> Completion:
        own: list[Call] = []  # each question has its own tries
        try:
            asked = replace(request, prompt=prompt, cue=lambda: cue)
            reply = _kept(bench, await _complete(bench, asked, own))
        finally:
            calls.extend(own)
        # An attempt may take hundreds of calls: what it has used must count before it ends.
        held.add(_cost_usd(bench, reply), reply.usage)
        return reply

    with bench.purse.holding() as held:
        answer = await converse(item, ask)
    return replace(answer, usage=total_usage(call.usage for call in calls if call.error_code is None))


async def _complete(bench: Bench, request: Request, calls: list[Call]) -> Completion:
    """One completion, through as many calls as the policy allows; each is added to `calls`."""
    first = bench.clock.monotonic()
    while True:
        try:
            return await _call(bench, request, calls)
        except CallError as error:
            elapsed_s = bench.clock.monotonic() - first
            delay_s = next_delay_s(bench.policy, error, tries=len(calls), elapsed_s=elapsed_s)
            if delay_s is None:
                raise
            # Jitter keeps calls that failed together from coming back together.
            await bench.clock.sleep(delay_s * (1 + _JITTER * random.random()))  # noqa: S311


async def _call(bench: Bench, request: Request, calls: list[Call]) -> Completion:
    limiter, clock = bench.limiter, bench.clock
    concurrency = await limiter.acquire(bench.rank)
    started_at, begin = clock.now(), clock.monotonic()
    try:
        bench.halt.must_go_on()
        bench.purse.must_last()
        completion = await bench.client.complete(request)
        limiter.succeeded(completion.timing.ttft_ms if completion.timing else None)
        if limiter.quota is not None:
            limiter.quota.answered(request, completion)
    except EndpointError as error:
        bench.halt.error = error
        raise
    except CallError as error:
        if isinstance(error, RateLimitedError) or (
            isinstance(error, ServerError) and error.status == _OVERLOADED
        ):
            limiter.pushed_back(error.retry_after_s)
        calls.append(
            Call(
                started_at=started_at,
                duration_ms=(clock.monotonic() - begin) * 1000,
                status=error.status,
                error_code=error.code,
                error_message=error.message,
                concurrency=concurrency,
            )
        )
        raise
    finally:
        limiter.release()
    calls.append(
        Call(
            started_at=started_at,
            duration_ms=(clock.monotonic() - begin) * 1000,
            status=200,
            finish_reason=completion.finish_reason,
            usage=completion.usage,
            timing=completion.timing,
            served_model=completion.served_model,
            system_fingerprint=completion.system_fingerprint,
            concurrency=concurrency,
            arrivals=completion.arrivals,
        )
    )
    return completion
