"""The proxy of one attempt: its clock, its log, and what it does when the model cannot be asked."""

import asyncio
import json
from typing import Any

import pytest

from assay.domain.agent import HostedAgent, LoadedAgent, OwnAgent
from assay.domain.benchmark import Ask, Cue
from assay.domain.calls.messages import Completion, Json, Prompt
from assay.domain.calls.timing import StreamTiming
from assay.domain.calls.transcript import transcript_in, transcript_text
from assay.domain.errors import ServerError
from assay.domain.programs.containers import HttpAnswer, HttpQuestion
from assay.engine.agents.model_proxy import CallLog, ModelProxy
from assay.engine.agents.turns import TurnLimits
from tests.builders import ManualClock

AGENT = HostedAgent(LoadedAgent(OwnAgent("run")), "sim/x")
NO_CUE = Cue()


def user(text: str) -> Json:
    return {"role": "user", "content": text}


async def asked(proxy: ModelProxy, *messages: Json) -> HttpAnswer:
    body = json.dumps({"model": "sim/x", "messages": list(messages)}).encode()
    question = HttpQuestion("POST", "/v1/chat/completions", f"Bearer {proxy.token}", body)
    return await proxy.answer(question)


def text_of(answer: HttpAnswer) -> Any:  # JSON
    return json.loads(answer.body)


def echo(clock: ManualClock | None = None, *, waits_s: float = 0, took_ms: float | None = None) -> Ask:
    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        if clock is not None:
            await clock.sleep(waits_s)
        timing = None if took_ms is None else StreamTiming(duration_ms=took_ms)
        return Completion(f"to {prompt.text}", timing=timing)

    return ask


async def test_the_time_is_the_agents_own_and_what_the_model_took() -> None:
    clock = ManualClock()
    ask = echo(clock, waits_s=100, took_ms=5_000)
    proxy = ModelProxy(AGENT, ask, TurnLimits(10, wall_s=20), monotonic=clock.monotonic)
    await clock.sleep(2)
    assert (await asked(proxy, user("a"))).status == 200
    assert proxy.used_s == 7
    await clock.sleep(13)
    late = await asked(proxy, user("b"))
    assert (late.status, proxy.limit) == (403, "time")
    assert "used up its time after 1 calls" in text_of(late)["error"]["message"]


async def test_each_message_is_kept_once_with_the_call_that_brought_it() -> None:
    proxy = ModelProxy(AGENT, echo(), TurnLimits(10, wall_s=20))
    await asked(proxy, user("a"))
    # Sent back with a field more, as libraries do; and another conversation beside it.
    back: Json = {"role": "assistant", "content": "to a", "annotations": []}
    await asked(proxy, user("a"), back, user("b"))
    await asked(proxy, user("other"))
    kept = [(one["call"], one["content"]) for one in proxy.log.messages]
    assert kept[:2] == [(1, "a"), (1, "to a")]
    assert kept[2:4] == [(2, "b"), (2, "to a\n\nto a\n\nb")]
    assert kept[4:] == [(3, "other"), (3, "to other")]


async def test_calls_are_answered_one_after_the_other() -> None:
    under_way, most = 0, 0

    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return Completion("x")

    proxy = ModelProxy(AGENT, ask, TurnLimits(10, wall_s=20))
    answers = await asyncio.gather(*(asked(proxy, user(str(number))) for number in range(12)))
    assert most == 1
    assert sorted(answer.status for answer in answers) == [200] * 10 + [403] * 2


@pytest.mark.parametrize(
    "error", [ServerError("the address 10.0.0.1 is down", status=500), KeyError("a bug")]
)
async def test_what_ends_the_attempt_is_kept_and_not_told(error: Exception) -> None:
    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        raise error

    proxy = ModelProxy(AGENT, ask, TurnLimits(10, wall_s=20))
    for _ in range(2):
        answer = await asked(proxy, user("a"))
        assert answer.status == 503
        assert b"10.0.0.1" not in answer.body
    assert proxy.failure is error
    assert proxy.failed.is_set()


def test_the_log_stays_within_what_a_transcript_may_have() -> None:
    log = CallLog()
    for number in range(12_000):
        log.keep({"role": "user", "content": str(number)})
    assert len(log.messages) == 9_000
    assert log.is_cut
    long = CallLog()
    for _ in range(3):
        long.keep({"role": "user", "content": "x" * 20_000_000})
    assert (len(long.messages), long.is_cut) == (1, True)
    commas = CallLog()
    for _ in range(7):
        commas.keep({"role": "user", "content": "," * 100_000})
    assert (len(commas.messages), commas.is_cut) == (3, True)
    for one in (log, long, commas):
        assert transcript_in(transcript_text(one.messages, patch="x")) is not None
