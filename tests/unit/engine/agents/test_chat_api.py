"""What an agent may ask for, and how the reply is written."""

import json
from typing import Any

import pytest

from assay.domain.calls.messages import Completion, Json, ToolCall, Usage
from assay.engine.agents.chat_api import (
    ChatRequest,
    RefusedError,
    chat_request,
    completion_answer,
    reply_json,
)

USER: Json = {"role": "user", "content": "hello"}


def read(**fields: Any) -> ChatRequest:
    body = {"model": "sim/x", "messages": [USER], **fields}
    return chat_request(json.dumps(body).encode(), model="sim/x")


def test_what_changes_the_reply_is_passed_on_and_the_rest_left_out() -> None:
    request = read(temperature=0.1, tools=[], stream=True, user="me", n=1, store=False)
    assert request.prompt.body == {"messages": [USER], "temperature": 0.1, "tools": []}
    assert (request.is_stream, request.includes_usage) == (True, False)


def test_a_request_with_other_tools_is_another_prompt() -> None:
    assert read(tools=[]).prompt.extra != read(tools=[{"type": "function"}]).prompt.extra


@pytest.mark.parametrize(
    "fields",
    [
        {"model": "openai/gpt-4"},
        {"model": None},
        {"models": ["openai/gpt-4"]},
        {"plugins": [{"id": "web"}]},
        {"provider": {"order": ["other"]}},
        {"n": 2},
        {"logprobs": True},
        {"messages": []},
        {"messages": "hello"},
        {"messages": [USER, "hello"]},
        {"messages": [{"content": "no role"}]},
        {"messages": [USER] * 5_001},
        {"seed": 10**30},
        {"temperature": float("nan")},
        {"messages": [{"role": "user", "content": "\ud800"}]},
    ],
)
def test_nothing_else_may_be_asked_for(fields: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as refused:
        read(**fields)
    assert refused.value.answer.status in (400, 404)
    assert json.loads(refused.value.answer.body)["error"]["message"]


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b"[" * 100_000, b'{"a": ' * 100_000, b"[1," * 600_000])
def test_bodies_that_are_no_requests_are_refused(body: bytes) -> None:
    with pytest.raises(RefusedError):
        chat_request(body, model="sim/x")


def test_a_reply_has_its_tool_calls_reasoning_and_refusal() -> None:
    call = ToolCall("c1", "look", "{}")
    assert reply_json(Completion("", reasoning="hm", tool_calls=(call,))) == {
        "role": "assistant",
        "content": None,
        "reasoning_content": "hm",
        "tool_calls": [call.to_json()],
    }
    assert reply_json(Completion("", refusal="no"))["refusal"] == "no"
    assert reply_json(Completion(""))["content"] == ""


def test_a_stream_has_the_calls_by_index_and_usage_only_if_asked_for() -> None:
    completion = Completion("a", tool_calls=(ToolCall("c1", "look", "{}"),), usage=Usage(1, 2))
    for options, chunks in (({}, 2), ({"include_usage": True}, 3)):
        request = read(stream=True, stream_options=options)
        found = completion_answer(completion, request, model="sim/x", number=1, created=0)
        *parts, last = found.body.decode().removesuffix("\n\n").split("\n\n")
        assert (len(parts), last) == (chunks, "data: [DONE]")
        first = json.loads(parts[0].removeprefix("data: "))
        assert first["choices"][0]["delta"]["tool_calls"][0]["index"] == 0
