"""The client against the test endpoint, over real sockets."""

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace

import aiohttp
import orjson
import pytest

from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.session import ClientLimits
from assay.adapters.simserver.app import SimServerOptions, running
from assay.domain.calls.messages import Completion, Generation, Json, Prompt, ToolCall
from assay.domain.errors import (
    AssayError,
    BadReplyError,
    CallTimeoutError,
    ConnectionFailedError,
    RateLimitedError,
    RejectedError,
    ServerError,
    UnauthorizedError,
    UnknownModelError,
)
from assay.engine.ports import ModelClient, Request

CANARY = "sk-canary-0123456789"
REQUEST = Request(Prompt.of_user("What is naïve about 😀 and 日本語?"), Generation())
ECHO = REQUEST.prompt.text
THOUGHT = "Let me think about it."
LIMITS = ClientLimits(silence_s=20.0, total_s=30.0, max_reply_bytes=100_000)


@asynccontextmanager
async def opened(
    model: str,
    *,
    options: ClientOptions | None = None,
    server: SimServerOptions | None = None,
    environment: Mapping[str, str] | None = None,
) -> AsyncGenerator[ModelClient]:
    async with running(server) as base_url:
        client = HttpModelDirectory(environment or {}, options=options).open(model, base_url=base_url)
        try:
            yield client
        finally:
            await client.close()


async def complete(model: str, *, stream: bool = True, limits: ClientLimits | None = None) -> Completion:
    options = ClientOptions(limits=limits or ClientLimits(), stream=stream)
    async with opened(model, options=options) as client:
        return await client.complete(REQUEST)


async def stats(base_url: str) -> dict[str, Json]:
    url = base_url.removesuffix("/v1") + "/sim/stats"
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return orjson.loads(await response.read())


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    "query",
    [
        "",
        "chunks=1",
        "chunks=1000",
        "crlf=1",
        "spaced=0",
        "keepalives=2",
        "split_bytes=1",
        "split_bytes=7&crlf=1",
        "usage=every",
        "usage=first",
        "done=0",
        "finish=none",
        "parts=1",
        "plain=1",
        "rejects=stream_options",
    ],
)
async def test_every_dialect_gives_the_same_answer(query: str, *, stream: bool) -> None:
    completion = await complete(f"vllm/test/echo?{query}", stream=stream)
    assert (completion.answer, completion.reasoning) == (ECHO, "")
    assert completion.finish_reason == (None if "finish" in query else "stop")
    assert completion.system_fingerprint == "sim"
    assert completion.served_model == f"test/echo?{query}"
    if "rejects" not in query or not stream:
        assert completion.usage.output_tokens == len(ECHO) // 4


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("kind", ["reasoning_content", "reasoning", "think", "thinking", "closing"])
async def test_reasoning_is_kept_apart(kind: str, *, stream: bool) -> None:
    completion = await complete(f"vllm/test/echo?reasoning={kind}", stream=stream)
    assert (completion.answer, completion.reasoning.strip()) == (ECHO, THOUGHT)
    assert completion.usage.reasoning_tokens
    assert not completion.reasoning_unclosed


@pytest.mark.parametrize("stream", [True, False])
async def test_unclosed_reasoning_is_a_cut_reply(*, stream: bool) -> None:
    completion = await complete("vllm/test/echo?reasoning=unclosed&finish=length", stream=stream)
    assert completion.answer == ""
    assert completion.reasoning.endswith(ECHO)
    assert completion.reasoning_unclosed
    assert completion.is_cut


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("query", ["refusal=No.", "finish=content_filter"])
async def test_refusal_is_the_providers_signal(query: str, *, stream: bool) -> None:
    assert (await complete(f"vllm/test/echo?{query}", stream=stream)).is_refused


@pytest.mark.parametrize("stream", [True, False])
async def test_tool_calls_are_merged(*, stream: bool) -> None:
    completion = await complete("vllm/test/echo?tools=1&finish=tool_calls", stream=stream)
    assert completion.tool_calls == (ToolCall("call-1", "weather", '{"city": "Paris"}'),)


async def test_hidden_usage_is_unknown_and_not_zero() -> None:
    completion = await complete("vllm/test/echo?usage=none")
    assert completion.usage.output_tokens is None
    assert completion.timing is not None
    assert completion.timing.tokens_per_s is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("cut_after=3", ConnectionFailedError),
        ("done=0&finish=none", ConnectionFailedError),
        ("malformed_after=2", BadReplyError),
        ("error_after=2", ServerError),
        ("error_after=2&code=429", RateLimitedError),
        ("error_after=2&code=model_not_found", UnknownModelError),
        ("error_after=2&code=surprise", BadReplyError),
        ("pad_bytes=200000", BadReplyError),
        ("stall_after=2&stall_ms=60000", CallTimeoutError),
        ("ttft_ms=60000", CallTimeoutError),
        ("status=400", RejectedError),
        ("status=400&code=model_not_found", UnknownModelError),
        ("status=401", UnauthorizedError),
        ("status=403", UnauthorizedError),
        ("status=404", UnknownModelError),
        ("status=408", CallTimeoutError),
        ("status=422", RejectedError),
        ("status=429", RateLimitedError),
        ("status=500", ServerError),
        ("status=503", ServerError),
        ("status=529", ServerError),
        ("speed=9", RejectedError),
    ],
)
async def test_every_failure_has_its_class(query: str, expected: type[AssayError]) -> None:
    limits = replace(LIMITS, silence_s=0.2) if expected is CallTimeoutError else LIMITS
    with pytest.raises(expected) as caught:
        await complete(f"vllm/test/echo?{query}", limits=limits)
    assert type(caught.value) is expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [("finish=none&usage=none", BadReplyError), ("rejects=stream_options", RejectedError)],
)
async def test_a_single_request_is_sent_once_and_profits_from_what_others_learned(
    query: str, expected: type[AssayError]
) -> None:
    async with opened(f"vllm/test/echo?{query}") as client:
        single = replace(REQUEST, is_single=True)
        with pytest.raises(expected):
            await client.complete(single)
        assert (await stats(client.endpoint))["requests"] == 1
        await client.complete(REQUEST)
        assert (await client.complete(single)).answer == ECHO
        assert (await stats(client.endpoint))["requests"] == 4


@pytest.mark.parametrize(
    ("query", "expected"),
    [("pad_bytes=200000", BadReplyError), ("rejects=messages", RejectedError), ("status=502", ServerError)],
)
async def test_failures_of_replies_in_one_piece(query: str, expected: type[AssayError]) -> None:
    with pytest.raises(expected):
        await complete(f"vllm/test/echo?{query}", stream=False, limits=LIMITS)


async def test_silence_limit_is_for_streams_and_the_total_for_all() -> None:
    quiet = replace(LIMITS, silence_s=0.05)
    assert (await complete("vllm/test/echo?ttft_ms=100", stream=False, limits=quiet)).answer == ECHO
    short = replace(LIMITS, total_s=0.3)
    with pytest.raises(CallTimeoutError, match=r"within 0\.3 s"):
        await complete("vllm/test/echo?ttft_ms=60000", stream=False, limits=short)
    with pytest.raises(CallTimeoutError, match=r"within 0\.3 s"):
        await complete("vllm/test/echo?keepalives=1000&keepalive_ms=20", limits=short)


async def test_clock_starts_with_the_request() -> None:
    # Lower bounds only: how late a busy machine reads is not the client's doing.
    completion = await complete("vllm/test/echo?ttft_ms=60&chunks=3&gap_ms=20")
    timing, arrivals = completion.timing, completion.arrivals
    assert timing is not None
    assert arrivals is not None
    assert timing.ttft_ms is not None
    assert timing.silence_ms is not None
    assert timing.ttft_ms >= 60
    assert timing.duration_ms >= 100
    assert timing.silence_ms >= 30
    assert (timing.chunks, timing.ttfat_ms) == (3, timing.ttft_ms)
    offsets_ms = [(at_s - arrivals.started_s) * 1000 for at_s in arrivals.chunks_s]
    assert (offsets_ms[0], len(offsets_ms)) == (timing.ttft_ms, 3)


async def test_keep_alives_break_the_silence() -> None:
    timing = (await complete("vllm/test/echo?keepalives=10&keepalive_ms=20&chunks=1")).timing
    assert timing is not None
    assert timing.ttft_ms is not None
    assert timing.silence_ms is not None
    assert timing.ttft_ms >= 200
    assert timing.silence_ms < timing.ttft_ms


async def test_first_answer_comes_after_the_tagged_reasoning() -> None:
    timing = (await complete("vllm/test/echo?reasoning=think&chunks=3&gap_ms=20")).timing
    assert timing is not None
    assert timing.ttft_ms is not None
    assert timing.ttfat_ms is not None
    assert timing.ttfat_ms > timing.ttft_ms


async def test_chunks_are_stamped_after_they_were_sent() -> None:
    in_order: list[bool] = []

    def watch(data: bytes, at_s: float) -> None:
        if data != b"[DONE]" and (stamp := orjson.loads(data).get("assay")):
            in_order.append(stamp["sent_at_ns"] / 1e9 <= at_s <= time.perf_counter())

    async with opened(
        "vllm/test/echo?stamp=1&chunks=5&gap_ms=2", options=ClientOptions(observer=watch)
    ) as client:
        await client.complete(REQUEST)
    assert in_order == [True] * 7


async def test_rejected_usage_option_is_remembered_by_the_endpoint() -> None:
    async with running() as base_url:
        directory = HttpModelDirectory({})
        first = directory.open("vllm/test/echo?rejects=stream_options", base_url=base_url)
        second = directory.open("vllm/test/echo", base_url=base_url)
        for _ in range(3):
            assert (await first.complete(REQUEST)).answer == ECHO
        assert (await second.complete(REQUEST)).usage.output_tokens is None
        counts = await stats(base_url)
        assert (counts["requests"], counts["with_stream_options"]) == (5, 0)
        assert counts["statuses"] == {"400": 1, "200": 4}
        await first.close()
        await second.close()


async def test_accepted_usage_option_is_not_doubted_again() -> None:
    async with running() as base_url:
        directory = HttpModelDirectory({})
        good = directory.open("vllm/test/echo", base_url=base_url)
        bad = directory.open("vllm/test/echo?rejects=messages", base_url=base_url)
        with pytest.raises(RejectedError):
            await bad.complete(REQUEST)
        assert (await stats(base_url))["requests"] == 2
        await good.complete(REQUEST)
        with pytest.raises(RejectedError):
            await bad.complete(REQUEST)
        assert (await stats(base_url))["requests"] == 4
        await good.close()
        await bad.close()


async def test_call_cancelled_in_the_middle_leaves_the_client_usable() -> None:
    begun = asyncio.Event()
    options = ClientOptions(observer=lambda _data, _at_s: begun.set())
    async with running() as base_url:
        directory = HttpModelDirectory({}, options=options)
        endless = directory.open("vllm/test/stall?stall_ms=60000", base_url=base_url)
        client = directory.open("vllm/test/echo", base_url=base_url)
        call = asyncio.create_task(endless.complete(REQUEST))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await endless.close()
        assert (await client.complete(REQUEST)).answer == ECHO
        await client.close()


FORMED = Request(Prompt(REQUEST.prompt.messages, {"response_format": {"type": "json_object"}}), Generation())


async def test_a_refused_reply_form_is_left_out_and_remembered() -> None:
    async with running() as base_url:
        directory = HttpModelDirectory({})
        client = directory.open("vllm/test/echo?rejects=response_format", base_url=base_url)
        other = directory.open("vllm/test/echo", base_url=base_url)
        for _ in range(3):
            assert (await client.complete(FORMED)).answer == ECHO
        # Refused with the option for usage and without; from then on asked without the form.
        assert (await stats(base_url))["requests"] == 5
        assert (await other.complete(FORMED)).answer == ECHO
        assert (await stats(base_url))["requests"] == 6
        await client.close()
        await other.close()


async def test_a_form_is_not_blamed_for_what_fails_without_it_too() -> None:
    async with opened("vllm/test/echo?rejects=messages") as client:
        for _ in range(2):
            with pytest.raises(RejectedError):
                await client.complete(FORMED)
