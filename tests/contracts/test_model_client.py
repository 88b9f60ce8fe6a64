"""What every ModelClient must do, over simulated models and over HTTP."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.simserver.app import running
from assay.domain.benchmark import Cue
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.calls.pricing import Price
from assay.domain.errors import CallError, RateLimitedError, ServerError, UsageError
from assay.engine.ports import ModelClient, ModelDirectory, Request

Opener = Callable[[str], AbstractAsyncContextManager[ModelClient]]
WORKING, BUSY, BROKEN = "working", "busy", "broken"
SIMULATED = {WORKING: "sim/echo", BUSY: "sim/echo?rate_limit=1&retry_after_s=7", BROKEN: "sim/echo?error=1"}
SERVED = {
    WORKING: "vllm/test/echo",
    BUSY: "vllm/test/echo?status=429&retry_after=7",
    BROKEN: "vllm/test/echo?status=500",
}


@asynccontextmanager
async def simulated(kind: str) -> AsyncGenerator[ModelClient]:
    directory: ModelDirectory = HttpModelDirectory({})
    client = directory.open(SIMULATED[kind])
    try:
        yield client
    finally:
        await client.close()


@asynccontextmanager
async def served(kind: str) -> AsyncGenerator[ModelClient]:
    async with running() as base_url:
        directory: ModelDirectory = HttpModelDirectory({})
        client = directory.open(SERVED[kind], base_url=base_url)
        try:
            yield client
        finally:
            await client.close()


@pytest.fixture(params=[simulated, served], ids=["sim", "http"])
def opened(request: pytest.FixtureRequest) -> Opener:
    return request.param


def asked(text: str = "Say this.") -> Request:
    return Request(Prompt.of_user(text), Generation(temperature=0.0), lambda: Cue(right="This."))


async def test_completion_has_answer_usage_and_timing(opened: Opener) -> None:
    async with opened(WORKING) as client:
        completion = await client.complete(asked())
    assert completion.answer == "Say this."
    assert completion.finish_reason == "stop"
    assert completion.usage.input_tokens
    assert completion.usage.output_tokens
    assert completion.timing is not None
    assert completion.timing.ttft_ms is not None
    assert 0 <= completion.timing.ttft_ms <= completion.timing.duration_ms
    assert not completion.is_refused
    assert not completion.is_cut


async def test_client_says_what_it_is(opened: Opener) -> None:
    async with opened(WORKING) as client:
        assert client.model in (SIMULATED[WORKING], SERVED[WORKING])
        assert client.endpoint
        await client.check()
        assert isinstance(await client.price(), Price | None)


async def test_one_client_serves_many_at_once(opened: Opener) -> None:
    async with opened(WORKING) as client:
        replies = await asyncio.gather(*(client.complete(asked(f"number {n}")) for n in range(50)))
    assert [reply.answer for reply in replies] == [f"number {n}" for n in range(50)]


async def test_rate_limit_is_typed_and_says_how_long(opened: Opener) -> None:
    async with opened(BUSY) as client:
        with pytest.raises(RateLimitedError) as caught:
            await client.complete(asked())
    assert (caught.value.status, caught.value.retry_after_s) == (429, 7.0)


async def test_failure_is_typed_and_names_the_model(opened: Opener) -> None:
    async with opened(BROKEN) as client:
        with pytest.raises(ServerError, match="echo") as caught:
            await client.complete(asked())
    assert isinstance(caught.value, CallError)
    assert caught.value.status == 500


async def test_closing_twice_is_harmless(opened: Opener) -> None:
    async with opened(WORKING) as client:
        assert isinstance(await client.complete(asked()), Completion)
        await client.close()
        await client.close()


@pytest.mark.parametrize("model", ["nobody/m", "sim/nobody", "sim/echo?nothing=1", "m", ""])
def test_unknown_names_are_the_callers_to_mend(model: str) -> None:
    with pytest.raises(UsageError):
        HttpModelDirectory({}).open(model)
