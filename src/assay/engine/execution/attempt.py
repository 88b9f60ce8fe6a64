"""One attempt: prompt, calls with retries, verdict."""

import logging
import random
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial

from assay.domain.attempt import Attempt, AttemptKey, Call
from assay.domain.benchmark import Conversation, Cue, Item, ItemId, ItemSet, Need, Services
from assay.domain.calls.logprobs import Logprobs, combined_logprobs
from assay.domain.calls.messages import Completion, Generation, Prompt, Usage, total_usage, with_system
from assay.domain.calls.pricing import usage_cost_usd
from assay.domain.calls.timing import combined_timing
from assay.domain.errors import AttemptError, CallError, EndpointError
from assay.domain.run import Evaluation
from assay.engine.execution.budget import AttemptSpending, BudgetTracker
from assay.engine.execution.recording import RecordedReplies
from assay.engine.execution.reuse import BaselineAnswers, EarlierAnswers, marked_as_reused, reused_completion
from assay.engine.grading.grade import AttemptStart, Grader, ended_attempt, verdict, with_judge_calls
from assay.engine.judging.judges import JudgeCalls, Judges
from assay.engine.log_context import ATTEMPT
from assay.engine.models.quota import tokens_used
from assay.engine.models.retry import RetryPolicy, is_pushing_back, next_delay_s
from assay.engine.models.traffic import Traffic
from assay.engine.ports import Clock, ModelClient, Request
from assay.engine.stores.steps import StepStore

_log = logging.getLogger(__name__)
_JITTER = 0.25
_NO_CUE = Cue()


@dataclass(slots=True)
class Halt:
    """Stops the calls of every shard of an evaluation after one has met a fatal error."""

    error: EndpointError | None = None

    def raise_if_halted(self) -> None:
        if self.error is not None:
            raise self.error


@dataclass(frozen=True, slots=True)
class AttemptContext:
    """What the attempts of one shard share."""

    evaluation: Evaluation
    item_set: ItemSet
    client: ModelClient
    traffic: Traffic
    grader: Grader
    clock: Clock
    budget: BudgetTracker
    steps: StepStore
    # For conversations: what they may use, and the model that plays the user.
    services: Services = Services()
    user_model: Judges | None = None
    retries: RetryPolicy = RetryPolicy()
    # When each attempt under way began, on the monotonic clock; old ones are listed as stalled.
    waiting: dict[AttemptKey, float] = field(default_factory=dict[AttemptKey, float])
    halt: Halt = field(default_factory=Halt)
    # Shards that started first in this process are worked off first.
    rank: int = 0
    is_judged: bool = False
    needs: frozenset[Need] = frozenset()
    # Called before a wait for a retry: it must be quick and must not raise.
    note_retry: Callable[[], None] = lambda: None
    item_hashes: Mapping[ItemId, str] = field(default_factory=dict[ItemId, str])
    earlier: EarlierAnswers | BaselineAnswers | None = None

    @contextmanager
    def waiting_to_retry(self, error: CallError) -> Generator[None]:
        with self.traffic.waiting_to_retry(error):
            self.note_retry()
            yield


async def perform(context: AttemptContext, item: Item, sample: int) -> Attempt:
    """Ask the model and grade its answer; an AttemptError becomes the outcome."""
    key = AttemptKey(item.id, sample)
    ATTEMPT.set(key)
    context.waiting[key] = context.clock.monotonic()
    try:
        with context.budget.attempt_under_way() as spending:
            attempt = await _performed(context, item, sample, spending)
    finally:
        del context.waiting[key]
    context.budget.add(attempt, spending)
    return attempt


async def _performed(context: AttemptContext, item: Item, sample: int, spending: AttemptSpending) -> Attempt:
    started_at = context.clock.now()
    generation = context.evaluation.generation
    prompt = with_system(context.item_set.prompt(item), generation.system)
    cue = partial(context.item_set.cue, item)
    request = Request(prompt, generation, cue=cue, sample=sample, needs=context.needs)
    calls: list[Call] = []
    judge_calls = JudgeCalls(waiting_to_retry=context.waiting_to_retry) if context.is_judged else None
    user_calls = JudgeCalls(waiting_to_retry=context.waiting_to_retry, role="user")
    completion: Completion | None = None
    item_hash, prompt_text = context.item_hashes.get(item.id), prompt.to_json()
    earlier: Attempt | None = None
    if context.earlier is not None:
        key = AttemptKey(item.id, sample)
        earlier = await context.earlier.find(key, prompt=prompt_text, item_hash=item_hash)
    try:
        if earlier is not None:
            completion = reused_completion(earlier)
        elif context.item_set.converse is None:
            completion = _kept(context, await _replied(context, request, calls, spending))
        else:
            talk = _Talk(context, item, request, calls, user_calls, spending)
            completion = await talk.completion(context.item_set.converse)
        completion = replace(completion, cost_usd=_cost_usd(context, completion))
        ending = await verdict(context.grader, item, completion, judge_calls=judge_calls)
    except AttemptError as error:
        _log.info("attempt without a verdict: %s", error.message)
        ending = error
    attempt = ended_attempt(
        AttemptStart(context.evaluation.id, item, sample, started_at, item_hash),
        ending,
        finished_at=context.clock.now(),
        completion=completion,
        prompt=prompt_text,
        cost_usd=_cost_usd(context, completion),
        calls=tuple(calls),
    )
    if earlier is not None:
        attempt = marked_as_reused(attempt, earlier)
    made = [one for one in (user_calls if context.user_model else None, judge_calls) if one is not None]
    return with_judge_calls(attempt, *made) if made else attempt


def _kept(context: AttemptContext, completion: Completion) -> Completion:
    answer = context.item_set.kept(completion.answer)
    return completion if answer == completion.answer else replace(completion, answer=answer)


def _cost_usd(context: AttemptContext, completion: Completion | None) -> Decimal | None:
    return usage_cost_usd(completion.usage, context.evaluation.price) if completion else None


async def _replied(
    context: AttemptContext, request: Request, calls: list[Call], spending: AttemptSpending
) -> Completion:
    completion = await _complete(context, request, calls)
    # An attempt may take hundreds of calls, so they count before it ends.
    spending.add(_cost_usd(context, completion), tokens_used(request, completion))
    return completion


class _Talk:
    """An attempt of several calls: the model is asked, and perhaps another that plays the user."""

    def __init__(
        self,
        context: AttemptContext,
        item: Item,
        request: Request,
        calls: list[Call],
        user_calls: JudgeCalls,
        spending: AttemptSpending,
    ) -> None:
        self._context = context
        self._item = item
        self._request = request
        self._calls = calls
        self._user_calls = user_calls
        self._spending = spending
        self._logprobs: list[Logprobs | None] = []
        key = AttemptKey(item.id, request.sample)
        self._replies = RecordedReplies(context.steps, context.evaluation.id, key)

    async def completion(self, converse: Conversation) -> Completion:
        """The whole answer, with the usage, timing and log-probabilities of all calls to the model."""
        services = self._context.services
        if self._context.user_model is not None:
            user = _UserModel(self._context.user_model, self._replies, self._user_calls, self._spending)
            services = replace(services, user_model=user)
        answer = await converse(self._item, self._ask, services)
        answered = [call for call in self._calls if call.error_code is None]
        return replace(
            answer,
            usage=_with_sandbox_time(total_usage(call.usage for call in answered), answer.usage.sandbox_s),
            timing=combined_timing(call.timing for call in answered),
            logprobs=combined_logprobs(self._logprobs),
        )

    async def _ask(self, prompt: Prompt, *, cue: Cue = _NO_CUE) -> Completion:
        context = self._context
        prompt = with_system(prompt, context.evaluation.generation.system)
        request = replace(self._request, prompt=prompt, cue=lambda: cue)

        is_new = False

        async def asking(own: list[Call]) -> Completion:  # each question has its own tries
            nonlocal is_new
            is_new = True
            return await _replied(context, request, own, self._spending)

        completion = await self._replies.reply("model", prompt, asking, self._calls)
        self._logprobs.append(completion.logprobs)
        if not is_new:
            self._spending.add(_cost_usd(context, completion), tokens_used(request, completion))
        return _kept(context, completion)


def _with_sandbox_time(usage: Usage, sandbox_s: float | None) -> Usage:
    """The time in containers of our own, where the conversation had one."""
    return usage if sandbox_s is None else replace(usage, sandbox_s=sandbox_s)


class _UserModel:
    """The model that plays the user, as a conversation sees it."""

    def __init__(
        self, user: Judges, replies: RecordedReplies, calls: JudgeCalls, spending: AttemptSpending
    ) -> None:
        self._user = user
        self._replies = replies
        self._calls = calls
        self._spending = spending

    @property
    def model(self) -> str:
        return self._user.clients[0].client.model

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        async def asking(calls: list[Call]) -> Completion:
            made = replace(self._calls, calls=[])
            try:
                user = self._user.panel(made).judges[0]
                return await user.ask(prompt, generation=generation, cue=cue, vote=vote)
            finally:
                calls.extend(made.calls)

        own: list[Call] = []
        try:
            return await self._replies.reply("user", prompt, asking, own)
        finally:
            price = self._user.clients[0].price
            for call in own:
                self._calls.add(call, price)
                self._spending.add(usage_cost_usd(call.usage, price), 0)


async def _complete(context: AttemptContext, request: Request, calls: list[Call]) -> Completion:
    """One completion, through as many calls as the policy allows; each is added to `calls`."""
    first = context.clock.monotonic()
    while True:
        try:
            return await exchange(context, request, calls)
        except CallError as error:
            elapsed_s = context.clock.monotonic() - first
            delay_s = next_delay_s(context.retries, error, tries=len(calls), elapsed_s=elapsed_s)
            if delay_s is None:
                raise
            with context.waiting_to_retry(error):
                # Jitter keeps calls that failed together from being retried together.
                await context.clock.sleep(delay_s * (1 + _JITTER * random.random()))  # noqa: S311


async def exchange(context: AttemptContext, request: Request, calls: list[Call]) -> Completion:
    """One call within the limits of the endpoint and the budget; it is added to `calls`, failed or not."""
    limiter, clock = context.traffic.limiter, context.clock
    slot = await limiter.acquire(context.rank)
    started_at, begin = clock.now(), clock.monotonic()
    try:
        context.halt.raise_if_halted()
        context.budget.raise_if_exhausted()
        completion = await context.client.complete(request)
        limiter.succeeded(slot, completion.timing.ttft_ms if completion.timing else None)
        if limiter.quota is not None:
            limiter.quota.answered(request, completion)
    except EndpointError as error:
        context.halt.error = error
        raise
    except CallError as error:
        if is_pushing_back(error):
            limiter.pushed_back(slot, error.retry_after_s)
        calls.append(
            Call(
                started_at=started_at,
                duration_ms=(clock.monotonic() - begin) * 1000,
                status=error.status,
                error_code=error.code,
                error_message=error.message,
                concurrency=slot.level,
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
            concurrency=slot.level,
            arrivals=completion.arrivals,
        )
    )
    return completion
