"""Chat completions as Ollama and llama.cpp answer them, where that is not what OpenAI does."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.domain.calls.messages import Generation, Prompt, Usage
from assay.domain.errors import RejectedError, ServerError, UnknownModelError
from assay.engine.models.retry import RetryPolicy, is_pushing_back, next_delay_s
from assay.engine.ports import ModelClient, Request
from tests.integration.test_openai_chat_wire import SSE, RawServer, http

REQUEST = Request(Prompt.of_user("hello"), Generation())


@asynccontextmanager
async def asked(model: str, reply: bytes) -> AsyncGenerator[ModelClient]:
    async with RawServer(reply).listening() as address:
        client = HttpModelDirectory({}).open(model, base_url=f"http://{address}")
        try:
            yield client
        finally:
            await client.close()


def ollama(*deltas: Mapping[str, object], finish: str = "stop") -> bytes:
    """A stream with the reason and the usage in chunks of their own, and an empty text beside every delta."""
    common = {"object": "chat.completion.chunk", "model": "m", "system_fingerprint": "fp_ollama"}
    empty = {"role": "assistant", "content": ""}
    choices: list[dict[str, object]] = [{"index": 0, "delta": {**empty, **one}} for one in deltas]
    choices.append({"index": 0, "delta": empty, "finish_reason": finish})
    usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
    chunks: list[dict[str, object]] = [{"choices": [choice]} for choice in choices]
    chunks.append({"choices": [], "usage": usage})
    events = b"".join(b"data: %b\n\n" % json.dumps({**common, **one}).encode() for one in chunks)
    return http(events + b"data: [DONE]\n\n", SSE)


async def test_ollamas_reasoning_and_usage() -> None:
    reply = ollama({"reasoning": "Hm."}, {"content": "Yes"}, {"content": "."})
    async with asked("ollama/m", reply) as client:
        found = await client.complete(REQUEST)
    assert (found.answer, found.reasoning, found.finish_reason) == ("Yes.", "Hm.", "stop")
    assert found.usage == Usage(3, 4)
    assert found.system_fingerprint == "fp_ollama"
    assert found.timing is not None
    assert found.timing.chunks == 3


async def test_ollamas_calls_come_in_one_piece() -> None:
    calls = [
        {"id": f"call_{n}", "index": n, "function": {"name": name, "arguments": '{"x":1}'}}
        for n, name in enumerate(("f", "g"))
    ]
    reply = ollama(*({"tool_calls": [call]} for call in calls), finish="tool_calls")
    async with asked("ollama/m", reply) as client:
        found = await client.complete(REQUEST)
    assert [(call.id, call.name, call.arguments) for call in found.tool_calls] == [
        ("call_0", "f", '{"x":1}'),
        ("call_1", "g", '{"x":1}'),
    ]


@pytest.mark.parametrize("listed", [{"object": "list", "data": None}, {"data": [{"id": "m:latest"}]}])
async def test_ollamas_list_may_be_null_and_tags_are_implied(listed: dict[str, object]) -> None:
    async with asked("ollama/m", http(json.dumps(listed).encode())) as client:
        await client.check()


async def test_ollamas_errors() -> None:
    error = {"message": 'model "m" not found, try pulling it first', "type": "not_found_error"}
    for body in ({"error": error}, {"error": error["message"]}):
        async with asked("ollama/m", http(json.dumps(body).encode(), status="404 Not Found")) as client:
            with pytest.raises(UnknownModelError, match="try pulling it first"):
                await client.complete(REQUEST)


async def test_llama_cpp_is_waited_for_while_it_loads_the_model() -> None:
    error = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
    async with asked("llamacpp/m", http(json.dumps(error).encode(), status="503 Unavailable")) as client:
        with pytest.raises(ServerError, match="Loading model") as caught:
            await client.complete(REQUEST)
    assert is_pushing_back(caught.value)
    assert next_delay_s(RetryPolicy(), caught.value, tries=5, elapsed_s=100) is not None


async def test_llama_cpps_fields_of_its_own_do_not_disturb() -> None:
    timings = {"prompt_n": 1, "predicted_ms": 2.5, "cache_n": 0}
    message = {"role": "assistant", "content": "Yes.", "reasoning_content": "Hm."}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    whole = {"choices": [choice], "timings": timings, "__verbose": {"content": "x"}}
    async with asked("llamacpp/m", http(json.dumps(whole).encode())) as client:
        found = await client.complete(REQUEST)
    assert (found.answer, found.reasoning) == ("Yes.", "Hm.")
    error = {"error": {"code": 400, "message": "too long", "type": "exceed_context_size_error", "n_ctx": 9}}
    async with asked("llamacpp/m", http(json.dumps(error).encode(), status="400 Bad Request")) as client:
        with pytest.raises(RejectedError, match="too long"):
            await client.complete(REQUEST)
