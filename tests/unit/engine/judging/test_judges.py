"""Judges at work: retries, time limits, and what each call leaves behind."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal

import pytest

from assay.domain.access.secret import Secret
from assay.domain.benchmark import Cue
from assay.domain.calls.messages import Completion, Generation, Prompt, Usage
from assay.domain.calls.pricing import Price
from assay.domain.errors import (
    AssayError,
    CallTimeoutError,
    GraderError,
    RateLimitedError,
    RejectedError,
    ServerError,
    UnauthorizedError,
)
from assay.domain.judging import Judging
from assay.domain.registry import ListedModel
from assay.domain.summary import Tokens
from assay.engine.judging.judges import (
    JudgeCalls,
    Judges,
    judge_tokens,
    new_limiters,
    open_judges,
    with_prices,
)
from assay.engine.models.limits import CallLimits
from assay.engine.models.retry import RetryPolicy
from assay.engine.ports import Request
from tests.builders import NOON, ManualClock, ScriptedModel
from tests.stores import memory_stores

PRICE = Price(Decimal(1), Decimal(2), "a list")
JUDGED = Completion("CORRECT", usage=Usage(1_000_000, 500_000))
Script = Callable[[Request, int], Completion | AssayError]


class SilentModel(ScriptedModel):
    async def complete(self, request: Request) -> Completion:
        await asyncio.Event().wait()
        return await super().complete(request)


class Directory:
    def __init__(self, client: ScriptedModel) -> None:
        self.client = client

    def open(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: Secret | None = None,
        key_variable: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ScriptedModel:
        _ = model, base_url, api_key, key_variable, headers
        return self.client


class Courtroom:
    """One judge with a script, and everything it was asked."""

    def __init__(self, script: Script, *, price: Price | None = PRICE, timeout_s: float = 60.0) -> None:
        self.clock = ManualClock()
        self.client = ScriptedModel(script)
        prices = {self.client.model: price} if price else {}
        self.judging = Judging(
            (self.client.model,), generation=Generation(temperature=0.7), timeout_s=timeout_s, prices=prices
        )
        self.judge_calls = JudgeCalls()

    @property
    def judges(self) -> Judges:
        return open_judges(
            self.judging,
            Directory(self.client),
            clock=self.clock,
            limiter_of=new_limiters(CallLimits(), self.clock, maximum=2),
            retries=RetryPolicy(),
        )

    async def ask(self) -> Completion:
        [judge] = self.judges.panel(self.judge_calls).judges
        return await judge.ask(
            Prompt.of_user("?"), generation=Generation(max_tokens=9), cue=Cue(right="x"), vote=4
        )


async def test_a_reply_is_noted_with_its_cost() -> None:
    room = Courtroom(lambda _request, _number: JUDGED)
    assert await room.ask() == JUDGED
    [call] = room.judge_calls.calls
    assert (call.role, call.status, call.served_model) == ("judge", 200, room.client.model)
    assert room.judge_calls.cost_usd == Decimal(2)
    [asked] = room.client.requests
    assert (asked.cue().right, asked.sample) == ("x", 4)
    assert asked.generation == Generation(temperature=0.7, max_tokens=9)


async def test_a_cost_that_is_unknown_stays_unknown() -> None:
    room = Courtroom(lambda _request, _number: JUDGED, price=None)
    await room.ask()
    assert room.judge_calls.cost_usd is None
    room = Courtroom(lambda _request, number: Completion("", usage=Usage()) if number == 1 else JUDGED)
    await room.ask()
    await room.ask()
    assert room.judge_calls.cost_usd is None


async def test_a_judge_that_is_down_is_given_up_within_half_a_minute() -> None:
    room = Courtroom(lambda _request, _number: ServerError("down", status=500))
    with pytest.raises(GraderError, match="'test/scripted' gave no reply: down"):
        await room.ask()
    assert 10 < room.clock.passed_s < 40
    assert all(call.error_code == "server" for call in room.judge_calls.calls)
    assert room.judge_calls.cost_usd == 0


async def test_a_judge_that_says_wait_is_waited_for() -> None:
    def busy(_request: Request, number: int) -> Completion | AssayError:
        return RateLimitedError("wait", status=429, retry_after_s=100.0) if number < 4 else JUDGED

    room = Courtroom(busy)
    assert await room.ask() == JUDGED
    assert room.clock.passed_s >= 300
    assert [call.status for call in room.judge_calls.calls] == [429, 429, 429, 200]


@pytest.mark.parametrize("error", [RejectedError("no", status=400), UnauthorizedError("key", status=401)])
async def test_what_cannot_succeed_is_not_tried_again(error: AssayError) -> None:
    room = Courtroom(lambda _request, _number: error)
    with pytest.raises(GraderError, match="gave no reply"):
        await room.ask()
    assert len(room.judge_calls.calls) == 1


async def test_a_call_that_takes_too_long_is_given_up_after_two_tries() -> None:
    room = Courtroom(lambda _request, _number: JUDGED, timeout_s=0.01)
    room.client = SilentModel(lambda _request, _number: JUDGED)
    with pytest.raises(GraderError, match=r"no whole reply within 0.01 s"):
        await room.ask()
    assert [call.error_code for call in room.judge_calls.calls] == [CallTimeoutError.code] * 2
    assert room.judge_calls.cost_usd is None


async def test_the_check_says_that_it_is_about_the_judge() -> None:
    room = Courtroom(lambda _request, _number: JUDGED)
    room.client.check_error = UnauthorizedError("no key", status=401)
    judges = room.judges
    with pytest.raises(
        UnauthorizedError, match="'test/scripted', which judges or plays the user, cannot be asked: no key"
    ):
        await judges.check()
    await judges.close()
    assert room.client.is_closed


async def test_prices_are_those_of_now_and_only_the_known_ones() -> None:
    room = Courtroom(lambda _request, _number: JUDGED, price=None)
    assert (await with_prices(room.judging, Directory(room.client))).prices == {}
    room.client.listed_price = PRICE
    priced = await with_prices(room.judging, Directory(room.client))
    assert priced.prices == {room.client.model: PRICE}
    assert priced.label == room.judging.label


async def test_a_registered_price_counts_where_the_endpoint_tells_none() -> None:
    room = Courtroom(lambda _request, _number: JUDGED, price=None)
    provider, _, slug = room.client.model.partition("/")
    registry = memory_stores().registry
    await registry.register(provider, [ListedModel(provider, slug, slug, price=PRICE)], at=NOON)
    priced = await with_prices(room.judging, Directory(room.client), registry)
    expected = replace(PRICE, source=f"{PRICE.source}, read {NOON:%Y-%m-%d}")
    assert priced.prices == {room.client.model: expected}
    elsewhere = replace(room.judging, base_url="http://other/v1")
    assert (await with_prices(elsewhere, Directory(room.client), registry)).prices == {}
    room.client.listed_price = own = replace(PRICE, source="own")
    priced = await with_prices(room.judging, Directory(room.client), registry)
    assert priced.prices == {room.client.model: own}


async def test_tokens_are_summed_over_the_calls_to_judges() -> None:
    room = Courtroom(lambda _request, _number: JUDGED)
    await room.ask()
    await room.ask()
    assert judge_tokens(room.judge_calls.calls) == Tokens(2_000_000, 1_000_000)
