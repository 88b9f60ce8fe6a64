from types import MappingProxyType

import orjson
import pytest

from assay.adapters.models.formats.chat_request import request_json
from assay.adapters.models.providers import KNOWN, Traits
from assay.domain.calls.messages import Generation, Image, Json, Message, Prompt
from assay.engine.ports import Request

EVERYTHING = Generation(
    temperature=0.5, top_p=0.9, max_tokens=100, reasoning_effort="low", seed=7, stop=("\n",)
)


def body(
    request: Request, traits: Traits, *, stream: bool = True, include_usage: bool = True
) -> dict[str, Json]:
    return orjson.loads(request_json("m", request, traits=traits, stream=stream, include_usage=include_usage))


def test_unset_settings_are_left_to_the_server() -> None:
    assert body(Request(Prompt.of_user("hi"), Generation()), KNOWN["vllm"]) == {
        "model": "m",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@pytest.mark.parametrize(("stream", "include_usage"), [(True, False), (False, True)])
def test_usage_is_asked_for_in_streams_only(*, stream: bool, include_usage: bool) -> None:
    request = Request(Prompt.of_user("hi"), Generation())
    sent = body(request, KNOWN["vllm"], stream=stream, include_usage=include_usage)
    assert "stream_options" not in sent
    assert sent["stream"] is stream


def test_settings_are_sent() -> None:
    sent = body(Request(Prompt.of_user("hi"), EVERYTHING), KNOWN["vllm"])
    assert (sent["temperature"], sent["top_p"], sent["max_tokens"]) == (0.5, 0.9, 100)
    assert (sent["seed"], sent["stop"], sent["reasoning_effort"]) == (7, ["\n"], "low")


def test_dialects_of_providers() -> None:
    request = Request(Prompt.of_user("hi"), EVERYTHING)
    openai = body(request, KNOWN["openai"])
    assert openai["max_completion_tokens"] == 100
    assert "max_tokens" not in openai
    openrouter = body(request, KNOWN["openrouter"])
    assert (openrouter["reasoning"], openrouter["usage"]) == ({"effort": "low"}, {"include": True})
    assert "reasoning_effort" not in openrouter


def test_pictures_and_tools_are_sent_but_the_protocol_stays_ours() -> None:
    message = Message("user", ("what is this?", Image("data:image/png;base64,AA")))
    extra = MappingProxyType(
        {"tools": (MappingProxyType({"type": "function"}),), "model": "other", "stream": False}
    )
    sent = body(Request(Prompt((message,), extra), Generation()), KNOWN["vllm"])
    assert sent["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "what is this?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}},
            ],
        }
    ]
    assert (sent["tools"], sent["model"], sent["stream"]) == ([{"type": "function"}], "m", True)


def test_a_request_of_the_users_own_is_sent_as_it_is_but_for_the_model() -> None:
    own: dict[str, Json] = {
        "model": "theirs",
        "messages": [{"role": "tool", "tool_call_id": "1", "content": "4"}],
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "response_format": {"type": "json_object"},
        "temperature": 0.3,
        "max_completion_tokens": 9,
        "stream": False,
        "stream_options": {"include_usage": False},
    }
    sent = body(Request(Prompt.of_body(own), Generation()), KNOWN["vllm"])
    protocol: dict[str, Json] = {"model": "m", "stream": True, "stream_options": {"include_usage": True}}
    assert sent == own | protocol


def test_settings_of_the_run_win_over_those_of_the_request() -> None:
    own: dict[str, Json] = {"messages": [], "temperature": 0.3, "max_completion_tokens": 9}
    sent = body(Request(Prompt.of_body(own), Generation(temperature=0.0, max_tokens=5)), KNOWN["vllm"])
    assert (sent["temperature"], sent["max_tokens"]) == (0.0, 5)
    assert "max_completion_tokens" not in sent


@pytest.mark.parametrize(
    ("provider", "own", "sent"),
    [
        ("openrouter", {"reasoning_effort": "high"}, {"reasoning": {"effort": "low"}}),
        ("openrouter", {"reasoning": {"max_tokens": 2_000}}, {"reasoning": {"effort": "low"}}),
        ("vllm", {"reasoning": {"effort": "high"}}, {"reasoning_effort": "low"}),
    ],
)
def test_the_effort_is_sent_once(provider: str, own: dict[str, Json], sent: dict[str, Json]) -> None:
    request = Request(Prompt.of_body({"messages": [], **own}), Generation(reasoning_effort="low"))
    found = body(request, KNOWN[provider])
    assert {name: value for name, value in found.items() if name.startswith("reasoning")} == sent


def test_options_are_added_to_the_body() -> None:
    options = {"top_k": 40, "chat_template_kwargs": {"enable_thinking": False}}
    sent = body(Request(Prompt.of_user("hi"), Generation(options=options)), KNOWN["vllm"])
    assert sent["top_k"] == 40
    assert sent["chat_template_kwargs"] == {"enable_thinking": False}


def test_options_join_an_object_that_is_sent_already() -> None:
    generation = Generation(reasoning_effort="low", options={"reasoning": {"exclude": True}})
    sent = body(Request(Prompt.of_user("hi"), generation), KNOWN["openrouter"])
    assert sent["reasoning"] == {"effort": "low", "exclude": True}
