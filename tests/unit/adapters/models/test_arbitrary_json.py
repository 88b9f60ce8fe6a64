"""Arbitrary JSON in every field of what an endpoint sends: never an error but those of the protocol."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.exchange import ReplyReader, UnfinishedReplyError
from assay.adapters.models.formats.anthropic_messages import AnthropicMessages
from assay.adapters.models.formats.api_format import ApiFormat
from assay.adapters.models.formats.chat_replies import ChatCollector
from assay.adapters.models.formats.gemini import Gemini
from assay.adapters.models.formats.openai_responses import OpenAIResponses
from assay.adapters.models.http_errors import Target, status_error
from assay.adapters.models.json_text import loads
from assay.adapters.models.lists.listed_models import chutes_model, served_model
from assay.adapters.models.lists.model_list import listed_context, listed_price, parse_model_list
from assay.domain.calls.messages import MAX_TOKENS, Completion, Generation, Json, Prompt
from assay.domain.calls.pricing import MAX_USD
from assay.domain.errors import CallError, EndpointError
from assay.engine.ports import Request
from tests.arbitrary_json import any_json, places, replaced

TARGET = Target("http://host/v1", "m", "VLLM_API_KEY")
CALL: Json = {"index": 0, "id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
MESSAGE: Mapping[str, Json] = {
    "role": "assistant",
    "content": [{"type": "text", "text": "a"}, {"type": "thinking", "thinking": [{"text": "r"}]}],
    "reasoning": "r",
    "reasoning_content": "r",
    "refusal": "no",
    "tool_calls": [CALL],
}
LOGPROBS: list[Json] = [{"token": "a", "logprob": -0.5, "top_logprobs": []}]
REPLY: Mapping[str, Json] = {
    "id": "1",
    "object": "chat.completion",
    "model": "m",
    "system_fingerprint": "f",
    "choices": [
        {
            "index": 0,
            "delta": MESSAGE,
            "message": MESSAGE,
            "logprobs": {"content": LOGPROBS, "refusal": None},
            "finish_reason": "stop",
            "error": {},
        }
    ],
    "usage": {
        "prompt_tokens": 1,
        "completion_tokens": 2,
        "completion_tokens_details": {"reasoning_tokens": 1},
        "prompt_tokens_details": {"cached_tokens": 1},
        "cost": 0.1,
        "is_byok": True,
        "cost_details": {"upstream_inference_cost": 0.1},
    },
    "error": {"code": 429, "type": "t", "message": "m", "metadata": {"headers": {"Retry-After": 1}}},
}
ENTRY: Mapping[str, Json] = {
    "id": "m",
    "name": "m",
    "description": "d",
    "owned_by": "o",
    "context_length": 1,
    "pricing": {"prompt": "0.1", "completion": 0.1},
    "price": {"input": {"usd": 1}, "output": {"usd": 1}},
    "chute_id": "c",
    "tagline": "t",
    "logo": "l",
    "user": {"username": "u"},
    "instances": [],
    "current_estimated_price": {"per_million_tokens": {"input": {"usd": 1}, "output": {"usd": 1}, "usd": 1}},
}


@st.composite
def spoiled(draw: st.DrawFn, value: Mapping[str, Json], *optional: str) -> Json:
    """The value with something arbitrary in one or two places, and without some optional members."""
    whole: dict[str, Json] = {
        name: one for name, one in value.items() if name not in optional or draw(st.booleans())
    }
    document: Json = json.loads(json.dumps(whole))
    for _ in range(draw(st.integers(1, 2))):
        document = replaced(document, draw(st.sampled_from(places(document))), draw(any_json))
    return document


COUNTS: Mapping[str, Json] = {
    "input_tokens": 1,
    "output_tokens": 2,
    "cache_read_input_tokens": 1,
    "cache_creation_input_tokens": 1,
    "output_tokens_details": {"thinking_tokens": 1, "reasoning_tokens": 1},
    "input_tokens_details": {"cached_tokens": 1},
}
BLOCKS: list[Json] = [
    {"type": "thinking", "thinking": "t", "signature": "s"},
    {"type": "text", "text": "a"},
    {"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}},
]
ENDED: Mapping[str, Json] = {"stop_reason": "refusal", "stop_details": {"explanation": "no"}}
STARTED: Mapping[str, Json] = {
    "type": "message",
    "model": "m",
    "content": BLOCKS,
    "usage": COUNTS,
    **ENDED,
}
DELTA: Mapping[str, Json] = {
    "type": "input_json_delta",
    "text": "a",
    "thinking": "t",
    "signature": "s",
    "partial_json": "{",
}
TEXT: Json = {"type": "output_text", "text": "a", "logprobs": LOGPROBS}
ITEMS: list[Json] = [
    {"type": "reasoning", "summary": [{"text": "t"}], "encrypted_content": "e", "status": "completed"},
    {"type": "message", "content": [TEXT, {"refusal": "no"}]},
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
]
RESPONSE: Mapping[str, Json] = {
    "object": "response",
    "status": "completed",
    "model": "m",
    "output": ITEMS,
    "usage": COUNTS,
    "error": None,
    "incomplete_details": {"reason": "max_output_tokens"},
}
CHUNK: Mapping[str, Json] = {
    "candidates": [
        {
            "content": {
                "parts": [
                    {"text": "t", "thought": True},
                    {"text": "a"},
                    {"functionCall": {"name": "f", "args": {"x": 1}, "id": "c"}, "thoughtSignature": "s"},
                ]
            },
            "logprobsResult": {"chosenCandidates": [{"token": "a", "logProbability": -0.5}]},
            "finishReason": "STOP",
            "finishMessage": "m",
        }
    ],
    "promptFeedback": {"blockReason": "SAFETY", "blockReasonMessage": "m"},
    "usageMetadata": {
        "promptTokenCount": 1,
        "candidatesTokenCount": 1,
        "thoughtsTokenCount": 1,
        "cachedContentTokenCount": 1,
        "toolUsePromptTokenCount": 1,
    },
    "modelVersion": "m",
    "error": {"code": 429, "status": "s", "message": "m", "details": [{"retryDelay": "1s", "reason": "r"}]},
}
VENDORS: Mapping[str, tuple[ApiFormat, tuple[Mapping[str, Json], ...]]] = {
    "messages": (
        AnthropicMessages(),
        (
            STARTED,
            {"type": "message_start", "message": STARTED},
            {"type": "content_block_start", "index": 0, "content_block": BLOCKS[0]},
            {"type": "content_block_delta", "index": 0, "delta": DELTA},
            {"type": "message_delta", "delta": ENDED, "usage": COUNTS},
            {"type": "error", "error": {"type": "overloaded_error", "message": "m"}},
        ),
    ),
    "gemini": (Gemini(), (CHUNK,)),
    "responses": (
        OpenAIResponses(),
        (
            RESPONSE,
            {"type": "response.completed", "response": RESPONSE},
            {"type": "response.failed", "response": {**RESPONSE, "error": {"code": "server_error"}}},
            {"type": "response.output_item.added", "output_index": 0, "item": ITEMS[2]},
            {"type": "response.output_item.done", "output_index": 0, "item": ITEMS[0]},
            {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": "{"},
            {"type": "response.output_text.delta", "delta": "a", "logprobs": LOGPROBS},
            {"type": "error", "code": "c", "message": "m"},
        ),
    ),
}


def read(*blocks: bytes, form: ApiFormat | None = None) -> Completion | None:
    request = Request(Prompt.of_user("hello"), Generation(logprobs=True))
    collector = form.collector(TARGET, request) if form else ChatCollector(TARGET, reads_logprobs=True)
    reader = ReplyReader(TARGET, collector, max_bytes=10**6)
    reader.begin(200, {})
    try:
        for at_s, block in enumerate(blocks):
            reader.take(block, float(at_s))
        return reader.completion()
    except (CallError, EndpointError, UnfinishedReplyError):
        return None


def assert_storable(completion: Completion | None) -> None:
    if completion is None:
        return
    usage = completion.usage
    for tokens in (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens, usage.cached_tokens):
        assert tokens is None or 0 <= tokens <= MAX_TOKENS
    assert usage.reported_cost_usd is None or 0 <= usage.reported_cost_usd <= 2 * MAX_USD
    if (logprobs := completion.logprobs) is not None:
        assert -10_000 <= min(logprobs.lowest, logprobs.mean) <= 0
    names = (completion.finish_reason, completion.served_model, completion.system_fingerprint)
    texts = (completion.answer, completion.reasoning, completion.refusal, *names)
    assert all(text is None or text.encode() for text in texts if text)


@given(spoiled(REPLY, "error"))
def test_any_reply_is_a_completion_or_an_error_of_the_call(reply: Json) -> None:
    data = json.dumps(reply).encode()
    assert_storable(read(data))
    assert_storable(read(b"data: " + data + b"\n\ndata: [DONE]\n\n"))
    assert_storable(read(b"data: " + data + b"\n\n", b"data: " + data[: len(data) // 2]))


@pytest.mark.parametrize("name", VENDORS)
@given(st.data())
def test_any_events_of_a_vendor_are_a_completion_or_an_error_of_the_call(
    name: str, data: st.DataObject
) -> None:
    form, samples = VENDORS[name]
    events = [data.draw(spoiled(data.draw(st.sampled_from(samples)), "error")) for _ in range(2)]
    ends = [json.dumps(one).encode() for one in samples[:5]]
    written = [json.dumps(event).encode() for event in events]
    assert_storable(read(written[0], form=form))
    stream = b"".join(b"data: " + one + b"\n\n" for one in [*written, *ends])
    assert_storable(read(stream, form=form))


@pytest.mark.parametrize("name", VENDORS)
@given(st.data())
def test_any_list_of_a_vendors_models_is_read(name: str, data: st.DataObject) -> None:
    entry = {
        **ENTRY,
        "max_tokens": 1,
        "inputTokenLimit": 1,
        "supportedGenerationMethods": ["generateContent"],
    }
    value = data.draw(spoiled({"models": [entry], "data": [entry]}))
    parse_model_list(VENDORS[name][0].listed(value))


@given(spoiled(REPLY), st.integers(400, 599))
def test_any_error_reply_is_an_error_of_the_call(reply: Json, status: int) -> None:
    error = status_error(TARGET, status, body=json.dumps(reply).encode(), headers={})
    assert isinstance(error, CallError | EndpointError)
    assert not any(ord(character) < 32 for character in error.message)


@given(spoiled({"data": [ENTRY, ENTRY]}))
def test_any_list_of_models_is_read(value: Json) -> None:
    models = parse_model_list(value)
    models.entry("m")
    models.nearest("m")
    for name, entry in models.entries.items():
        assert isinstance(name, str)
        listed_price(entry, unit="token", source="s")
        listed_context(entry)
        served_model(entry, provider="p", unit="million", source="s")
        chutes_model(entry, source="s")


@pytest.mark.parametrize(
    "data", [b"[" * 100_000, b'{"a":' * 100_000, b"[" + b"{}," * 300_000 + b"1]", b"9" * 5_000, b'"\xff"']
)
def test_what_cannot_be_parsed_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        loads(data)
