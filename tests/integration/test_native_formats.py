"""The vendors' own APIs on the wire: what is asked, what is understood, and what becomes of errors."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.lists.provider_lists import HttpModelLists
from assay.adapters.models.session import ClientLimits
from assay.adapters.simserver.hostile import hostile_running
from assay.adapters.simserver.hostile_kinds import KINDS
from assay.domain.calls.messages import Audio, Completion, Generation, Json, Message, Prompt, ToolCall, Usage
from assay.domain.errors import (
    BadReplyError,
    CallError,
    CallTimeoutError,
    ConnectionFailedError,
    EndpointError,
    RateLimitedError,
    RejectedError,
    ServerError,
    UnauthorizedError,
    UnknownModelError,
    UnsupportedError,
)
from assay.engine.ports import ModelClient, Request
from tests.integration.vendors.anthropic import Anthropic
from tests.integration.vendors.gemini import Google
from tests.integration.vendors.responses import OpenAIResponses
from tests.integration.vendors.server import (
    KEY,
    Answer,
    RefusedError,
    Reply,
    Seen,
    Turn,
    Vendor,
    VendorServer,
)

VENDORS = (Anthropic, Google, OpenAIResponses)
every_vendor = pytest.mark.parametrize("vendor", [one() for one in VENDORS], ids=lambda one: one.prefix)
LIMITS = ClientLimits(silence_s=30.0, total_s=60.0, max_reply_bytes=200_000)
REQUEST = Request(Prompt.of_user("hello"), Generation())
SCHEMA: Json = {"type": "object", "properties": {"at": {"type": "string"}}}
TOOLS: Json = [
    {"type": "function", "function": {"name": name, "description": "d", "parameters": SCHEMA}}
    for name in ("look", "wait")
]
STREAM = "Content-Type: text/event-stream"


Kinds = type[Exception] | tuple[type[Exception], ...]


@dataclass
class Asked:
    """A client with the server that it asks."""

    client: ModelClient
    server: VendorServer
    directory: HttpModelDirectory

    @property
    def sent(self) -> Any:
        return self.server.seen[-1].body

    async def fails(self, kind: Kinds, request: Request = REQUEST) -> str:
        with pytest.raises(kind) as caught:
            await self.client.complete(request)
        assert KEY not in str(caught.value)
        return str(caught.value)


@asynccontextmanager
async def asked(
    vendor: Vendor, *script: Answer, stream: bool = True, limits: ClientLimits = LIMITS
) -> AsyncGenerator[Asked]:
    server = VendorServer(vendor, list(script) or [Turn()])
    async with server.listening() as url:
        options = ClientOptions(limits=limits, stream=stream)
        directory = HttpModelDirectory({vendor.key_variable: KEY}, options=options)
        client = directory.open(f"{vendor.prefix}/{vendor.model}", base_url=url)
        try:
            yield Asked(client, server, directory)
        finally:
            await client.close()


@every_vendor
@pytest.mark.parametrize("stream", [True, False])
async def test_answers_reasoning_and_usage_are_understood(vendor: Vendor, *, stream: bool) -> None:
    async with asked(vendor, Turn(thoughts=("Let me ", "see.")), stream=stream) as one:
        found = await one.client.complete(REQUEST)
    assert (found.answer, found.reasoning) == ("The answer is (A).", "Let me see.")
    assert (found.finish_reason, found.is_refused, found.is_cut) == ("stop", False, False)
    # What the providers' caches hold is a part of the input, and thinking a part of the output.
    cached = {"anthropic": 3, "google": 4, "openai-responses": 3}[vendor.prefix]
    assert found.usage == Usage(10, 20, reasoning_tokens=12, cached_tokens=cached)
    assert found.served_model is not None
    assert found.served_model != vendor.model
    assert found.timing is not None
    assert (found.timing.ttft_ms is not None) is stream
    if stream:
        assert found.timing.chunks == 4
        assert found.timing.keep_alives == (1 if vendor.prefix == "anthropic" else 0)


@every_vendor
async def test_pieces_are_timed_as_they_arrive(vendor: Vendor) -> None:
    turn = Turn(answer=("a", "b", "c"), thoughts=("t",))
    reply = Reply(headers=(STREAM,), body=tuple(vendor.events(turn)), pause_s=0.02)
    async with asked(vendor, reply) as one:
        timing = (await one.client.complete(REQUEST)).timing
    assert timing is not None
    assert timing.ttft_ms is not None
    assert timing.ttfat_ms is not None
    assert timing.max_gap_ms is not None
    assert 0 < timing.ttft_ms < timing.ttfat_ms < timing.duration_ms
    assert timing.max_gap_ms >= 15


@every_vendor
@pytest.mark.parametrize("stream", [True, False])
async def test_tools_are_called_and_reasoning_goes_back_signed(vendor: Vendor, *, stream: bool) -> None:
    called = Turn(answer=(), thoughts=("Hm.",), calls=(("look", {"at": "clock"}), ("wait", {})))
    generation = Generation(reasoning_effort="low")
    system = Message("system", "Be brief.")
    prompt = Prompt((system, Message("user", "What time is it?")), {"tools": TOOLS, "tool_choice": "auto"})
    async with asked(vendor, called, called, Turn(), stream=stream) as one:
        for _ in range(2):
            found = await one.client.complete(Request(prompt, generation))
            assert found.finish_reason == "tool_calls"
            assert [(call.name, json.loads(call.arguments)) for call in found.tool_calls] == [
                ("look", {"at": "clock"}),
                ("wait", {}),
            ]
            assert len({call.id for call in found.tool_calls}) == 2
            # Benchmarks give calls ids of their own, and the server refuses calls without their signature.
            calls = tuple(
                replace(call, id=f"own-{len(prompt.messages)}-{call.name}") for call in found.tool_calls
            )
            results = [Message("tool", f"result of {call.name}", tool_call_id=call.id) for call in calls]
            assistant = Message("assistant", found.answer, tool_calls=calls)
            prompt = replace(prompt, messages=(*prompt.messages, assistant, *results))
        assert (await one.client.complete(Request(prompt, generation))).answer == "The answer is (A)."
        text = json.dumps(one.sent)
    assert text.count("result of look") == text.count("result of wait") == 2
    assert text.count("Be brief.") == 1


@every_vendor
async def test_a_call_that_the_model_did_not_make_is_taken_from_a_benchmark(vendor: Vendor) -> None:
    calls = (ToolCall("c1", "look", '{"at": "clo'),)
    messages = (
        Message("user", "q"),
        Message("assistant", "Looking.", tool_calls=calls),
        Message("tool", '{"time": "12:00"}', tool_call_id="c1"),
        Message("user", "So?"),
    )
    async with asked(vendor, Turn()) as one:
        if vendor.prefix == "google":
            # Its server wants a signature; the vendor's word for none is sent.
            assert "signature" in await one.fails(RejectedError, Request(Prompt(messages), Generation()))
            assert "skip_thought_signature_validator" in json.dumps(one.sent)
        else:
            assert (await one.client.complete(Request(Prompt(messages), Generation()))).answer
        assert "clo" in json.dumps(one.sent)


STOPS = [
    ("anthropic", "max_tokens", "length"),
    ("anthropic", "model_context_window_exceeded", "length"),
    ("anthropic", "stop_sequence", "stop"),
    ("anthropic", "refusal", "content_filter"),
    ("anthropic", "pause_turn", "pause_turn"),
    ("google", "MAX_TOKENS", "length"),
    *(("google", reason, "content_filter") for reason in ("SAFETY", "RECITATION", "BLOCKLIST", "SPII")),
    ("google", "PROHIBITED_CONTENT", "content_filter"),
    ("google", "MALFORMED_FUNCTION_CALL", "malformed_function_call"),
    ("openai-responses", "max_output_tokens", "length"),
    ("openai-responses", "content_filter", "content_filter"),
]


@pytest.mark.parametrize(("prefix", "stop", "expected"), STOPS)
async def test_stop_reasons_become_those_of_the_project(prefix: str, stop: str, expected: str) -> None:
    vendor = next(one() for one in VENDORS if one.prefix == prefix)
    async with asked(vendor, Turn(stop=stop)) as one:
        found = await one.client.complete(REQUEST)
    assert found.finish_reason == expected
    assert (found.is_cut, found.is_refused) == (expected == "length", expected == "content_filter")


async def test_a_prompt_that_google_blocks_is_refused() -> None:
    blocked = {
        "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
        "usageMetadata": {"promptTokenCount": 4, "totalTokenCount": 4},
    }
    body = f"data: {json.dumps(blocked)}\n\n".encode()
    async with asked(Google(), Reply(headers=(STREAM,), body=body)) as one:
        found = await one.client.complete(REQUEST)
    assert (found.is_refused, found.answer) == (True, "")
    assert found.refusal == "the prompt was blocked: PROHIBITED_CONTENT"
    assert found.usage == Usage(4, 0)


async def test_refusals_carry_what_the_vendor_says() -> None:
    anthropic = list(Anthropic().events(Turn(answer=(), stop="refusal")))
    said = b'"stop_sequence": null, "stop_details": {"type": "refusal", "explanation": "It is policy."}'
    events = (*anthropic[:-2], anthropic[-2].replace(b'"stop_sequence": null', said), anthropic[-1])
    async with asked(Anthropic(), Reply(headers=(STREAM,), body=events)) as one:
        assert (await one.client.complete(REQUEST)).refusal == "It is policy."
    refusal = b'data: {"type": "response.refusal.delta", "delta": "I cannot."}\n\n'
    openai = tuple(OpenAIResponses().events(Turn(answer=())))
    async with asked(
        OpenAIResponses(), Reply(headers=(STREAM,), body=(*openai[:2], refusal, *openai[2:]))
    ) as one:
        found = await one.client.complete(REQUEST)
        assert (found.refusal, found.is_refused) == ("I cannot.", True)


ERRORS = [
    ("anthropic", 401, "authentication_error", UnauthorizedError),
    ("anthropic", 403, "permission_error", UnauthorizedError),
    ("anthropic", 402, "billing_error", UnauthorizedError),
    ("anthropic", 404, "not_found_error", UnknownModelError),
    ("anthropic", 413, "request_too_large", RejectedError),
    ("anthropic", 500, "api_error", ServerError),
    ("anthropic", 504, "timeout_error", ServerError),
    ("anthropic", 529, "overloaded_error", ServerError),
    ("google", 400, "INVALID_ARGUMENT", RejectedError),
    ("google", 403, "PERMISSION_DENIED", UnauthorizedError),
    ("google", 404, "NOT_FOUND", UnknownModelError),
    ("google", 500, "INTERNAL", ServerError),
    ("google", 503, "UNAVAILABLE", ServerError),
    ("openai-responses", 401, "invalid_request_error", UnauthorizedError),
    ("openai-responses", 500, "server_error", ServerError),
]


@pytest.mark.parametrize(("prefix", "status", "code", "expected"), ERRORS)
async def test_errors_have_their_class_and_no_key(
    prefix: str, status: int, code: str, expected: type[Exception]
) -> None:
    vendor = next(one() for one in VENDORS if one.prefix == prefix)
    async with asked(vendor, vendor.error(status, f"no, {KEY}", code=code)) as one:
        assert str(status) in await one.fails(expected)


@every_vendor
async def test_a_busy_endpoint_says_when_to_come_back(vendor: Vendor) -> None:
    async with asked(
        vendor, vendor.error(429, "slow down", "Retry-After: 7", code="rate_limit_error")
    ) as one:
        with pytest.raises(RateLimitedError) as caught:
            await one.client.complete(REQUEST)
    assert caught.value.retry_after_s == 7


async def test_what_google_writes_into_errors_is_read() -> None:
    info = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}
    busy = {"error": {"code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED", "details": [info]}}
    async with asked(Google(), Reply(429, (), json.dumps(busy).encode())) as one:
        with pytest.raises(RateLimitedError) as caught:
            await one.client.complete(REQUEST)
    assert caught.value.retry_after_s == 34.5
    # A wrong key has the status of a wrong request.
    reason = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    wrong = {"error": {"code": 400, "message": "m", "status": "INVALID_ARGUMENT", "details": [reason]}}
    async with asked(Google(), Reply(400, (), json.dumps(wrong).encode())) as one:
        assert "GEMINI_API_KEY" in await one.fails(UnauthorizedError)


async def test_arguments_that_come_at_the_end_of_a_call_are_read() -> None:
    vendor = OpenAIResponses()
    called = Turn(answer=(), calls=(("look", {"at": "clock"}), ("look", {"at": "sun"})))
    events = tuple(one for one in vendor.events(called) if b"arguments.delta" not in one)
    async with asked(vendor, Reply(headers=(STREAM,), body=events)) as one:
        found = await one.client.complete(REQUEST)
    assert [json.loads(call.arguments)["at"] for call in found.tool_calls] == ["clock", "sun"]


def _error_event(vendor: Vendor) -> bytes:
    if vendor.prefix == "anthropic":
        error: Json = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    elif vendor.prefix == "google":
        error = {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}
    else:
        failed = {
            "object": "response",
            "status": "failed",
            "error": {"code": "server_error", "message": "busy"},
        }
        error = {"type": "response.failed", "response": failed}
    return f"data: {json.dumps(error)}\n\n".encode()


@every_vendor
async def test_an_error_inside_a_stream_is_that_error(vendor: Vendor) -> None:
    begun = tuple(vendor.events(Turn()))[:3]
    begun = begun if vendor.prefix != "google" else begun[:1]
    async with asked(vendor, Reply(headers=(STREAM,), body=(*begun, _error_event(vendor)))) as one:
        assert "busy" in await one.fails(ServerError)


@every_vendor
async def test_a_stream_that_is_cut_is_no_answer(vendor: Vendor) -> None:
    whole = tuple(vendor.events(Turn(answer=("The ", "answer ", "is ", "(A)."))))
    async with asked(vendor, Reply(headers=(STREAM,), body=whole[:-2])) as one:
        await one.fails(ConnectionFailedError)
    without_last = whole[:-1] if vendor.prefix == "anthropic" else whole
    async with asked(vendor, Reply(headers=(STREAM,), body=without_last)) as one:
        assert (await one.client.complete(REQUEST)).answer == "The answer is (A)."


@every_vendor
@pytest.mark.parametrize("status", [301, 307, 308])
async def test_the_key_never_leaves_for_another_host(vendor: Vendor, status: int) -> None:
    elsewhere = VendorServer(vendor)
    async with elsewhere.listening() as other, asked(vendor) as one:
        moved = Reply(status, (f"Location: {other}/v1/messages", "Content-Length: 0"))
        one.server.script, one.server.list_reply = [moved], moved
        assert "redirects" in await one.fails(RejectedError)
        with pytest.raises(EndpointError):
            await one.directory.served(vendor.prefix, base_url=one.client.endpoint)
        lists = HttpModelLists({vendor.key_variable: KEY, vendor.url_variable: one.client.endpoint})
        with pytest.raises(EndpointError):
            await lists.listed(vendor.prefix)
        assert len(one.server.seen) == 3
        assert all(KEY in str(seen.headers) for seen in one.server.seen)
    assert elsewhere.seen == []


@every_vendor
async def test_a_key_that_is_sent_back_is_not_kept(vendor: Vendor) -> None:
    turn = Turn(answer=(KEY[:9], KEY[9:]), thoughts=(KEY,), calls=(("look", {"at": KEY}),))
    for stream in (True, False):
        async with asked(vendor, turn, stream=stream) as one:
            found = await one.client.complete(REQUEST)
        assert KEY not in repr(found)
        assert (found.answer, found.reasoning) == ("[key]", "[key]")


def _endless(vendor: Vendor) -> tuple[bytes, ...]:
    """The events of a stream up to its first piece of text, which is repeated."""
    events = list(vendor.events(Turn()))
    at = next(number for number, event in enumerate(events) if b"The answer " in event)
    return (*events[:at], *([events[at]] * (2 * LIMITS.max_reply_bytes // len(events[at]))))


HOSTILE: dict[str, Callable[[Vendor], tuple[bytes, ...]]] = {
    "endless text": _endless,
    "endless pings": lambda _: (b'data: {"type": "ping"}\n\n' * 20_000,),
    "endless empty objects": lambda _: (b"data: {}\n\n" * 30_000,),
    "one endless line": lambda _: (b"data: " + b"x" * 400_000,),
    "deep": lambda _: (b"data: " + b"[" * 100_000 + b"\n\n",),
    "deep object": lambda _: (b'{"error":' * 20_000 + b"}" * 20_000,),
    "many blocks of reasoning": lambda _: (
        b'data: {"type": "message_start", "message": {}}\n\n',
        *(
            b'data: {"type":"content_block_start","index":%d,"content_block":{"type":"thinking"}}\n\n'
            % number
            for number in range(2_000)
        ),
    ),
    "no object": lambda _: (b"data: [1]\n\n",),
    "html": lambda _: (b"<html>hello</html>",),
    "half": lambda vendor: (json.dumps(vendor.message(Turn())).encode()[:-9],),
    "nothing": lambda _: (),
    "an empty object": lambda _: (b"{}",),
}


@every_vendor
@pytest.mark.parametrize("name", HOSTILE)
async def test_what_is_made_to_harm_ends_the_attempt_and_no_more(vendor: Vendor, name: str) -> None:
    reply = Reply(headers=(STREAM,), body=HOSTILE[name](vendor))
    async with asked(vendor, reply) as one, asyncio.timeout(60):
        await one.fails((BadReplyError, ConnectionFailedError))


@every_vendor
async def test_no_hostile_reply_is_more_than_an_error_of_the_call(
    vendor: Vendor, caplog: pytest.LogCaptureFixture
) -> None:
    limits = ClientLimits(silence_s=0.5, total_s=1.0, max_reply_bytes=1_000_000)
    directory = HttpModelDirectory({vendor.key_variable: KEY}, options=ClientOptions(limits=limits))

    async def end(url: str) -> Completion | CallError:
        client = directory.open(f"{vendor.prefix}/m", base_url=url)
        try:
            return await client.complete(REQUEST)
        except CallError as error:
            return error
        finally:
            await client.close()

    async with hostile_running(KINDS, host="127.0.0.1", port=0) as address:
        ends = await asyncio.gather(*(end(f"{address}/{kind}/v1") for kind in KINDS))
        async with asyncio.timeout(30):
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0.01)
    # Nothing that is sent there is an answer in this form.
    assert all(isinstance(one, CallError) for one in ends)
    assert "could not be read" not in caplog.text


@every_vendor
async def test_a_stream_that_falls_silent_times_out(vendor: Vendor) -> None:
    begun = tuple(vendor.events(Turn()))[:3]
    limits = replace(LIMITS, silence_s=0.2)
    async with asked(
        vendor, Reply(headers=(STREAM,), body=(*begun[:1], b""), pause_s=3.0), limits=limits
    ) as one:
        await one.fails(CallTimeoutError)


@every_vendor
async def test_lists_of_models(vendor: Vendor) -> None:
    async with asked(vendor) as one:
        await one.client.check()
        [model] = await one.directory.served(vendor.prefix, base_url=one.client.endpoint)
        lists = HttpModelLists({vendor.key_variable: KEY, vendor.url_variable: one.client.endpoint})
        [listed] = await lists.listed(vendor.prefix)
    context = {"anthropic": 200_000, "google": 1_048_576, "openai-responses": None}[vendor.prefix]
    assert (model.name, model.context_tokens) == (vendor.model, context)
    assert (listed.provider, listed.slug, listed.context_tokens) == (vendor.prefix, vendor.model, context)
    # One under which models of OpenAI are registered is enough.
    assert lists.configured() == (vendor.prefix.removesuffix("-responses"),)


async def test_anthropic_gets_the_cap_of_the_model_where_nothing_else_is_said() -> None:
    async with asked(Anthropic()) as one:
        await one.client.complete(REQUEST)
        assert one.sent["max_tokens"] == 8_192
        await one.client.check()
        await one.client.complete(REQUEST)
        assert one.sent["max_tokens"] == 64_000
        await one.client.complete(replace(REQUEST, generation=Generation(max_tokens=100)))
        assert one.sent["max_tokens"] == 100
        assert one.server.seen[-1].headers["x-api-key"] == KEY
        assert "authorization" not in one.server.seen[-1].headers


@dataclass
class Picky(Anthropic):
    """A model that takes no temperature, or no schema."""

    refused: tuple[str, ...]

    def check(self, seen: Seen) -> bool:
        if any(name in seen.body for name in self.refused):
            raise RefusedError("this model does not take it")
        return super().check(seen)


@pytest.mark.parametrize("refused", [("temperature",), ("output_config",), ("temperature", "output_config")])
async def test_what_a_model_does_not_take_is_left_out(refused: tuple[str, ...]) -> None:
    form: Json = {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA}}
    request = Request(Prompt((Message("user", "q"),), {"response_format": form}), Generation(temperature=0.0))
    async with asked(Picky(refused)) as one:
        for _ in range(2):
            assert (await one.client.complete(request)).answer
            assert all(
                (name in one.sent) is (name not in refused) for name in ("temperature", "output_config")
            )
        before = len(one.server.seen)
        assert (await one.client.complete(request)).answer
        assert len(one.server.seen) == before + 1


async def test_a_refusal_for_another_reason_stays_one() -> None:
    request = replace(REQUEST, generation=Generation(temperature=0.0))
    vendor = Anthropic()
    async with asked(vendor, vendor.error(400, "too long")) as one:
        assert "too long" in await one.fails(RejectedError, request)
        assert len(one.server.seen) == 2
        # Once the model took a temperature, a refusal does not mean it.
        one.server.script = [Turn(), vendor.error(400, "too long")]
        await one.client.complete(request)
        await one.fails(RejectedError, request)
        assert len(one.server.seen) == 4


@pytest.mark.parametrize("vendor", [Anthropic(), OpenAIResponses()], ids=lambda one: one.prefix)
async def test_what_an_api_cannot_take_is_said_before_it_is_asked(vendor: Vendor) -> None:
    sound = Message("user", ("What is this?", Audio("AAAA", "wav")))
    async with asked(vendor) as one:
        assert "audio" in await one.fails(UnsupportedError, Request(Prompt((sound,)), Generation()))
        assert one.server.seen == []


@every_vendor
async def test_a_list_that_sends_the_key_back_does_not_show_it(vendor: Vendor) -> None:
    async with asked(vendor) as one:
        one.server.list_reply = vendor.error(500, f"wrong key {KEY[4:]}: {KEY}")
        lists = HttpModelLists({vendor.key_variable: KEY, vendor.url_variable: one.client.endpoint})
        for read in (
            lists.listed(vendor.prefix),
            one.directory.served(vendor.prefix, base_url=one.client.endpoint),
        ):
            with pytest.raises(EndpointError, match="500") as caught:
                await read
            assert KEY not in str(caught.value)
