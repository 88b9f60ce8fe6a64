"""Requests in the form of each vendor's API."""

import json
from types import MappingProxyType
from typing import Any

import pytest

from assay.adapters.models.formats.anthropic_messages import AnthropicMessages
from assay.adapters.models.formats.api_format import ApiFormat, Options
from assay.adapters.models.formats.gemini import Gemini
from assay.adapters.models.formats.openai_chat import AzureChat
from assay.adapters.models.formats.openai_responses import OpenAIResponses
from assay.adapters.models.formats.turn_memory import TurnMemory
from assay.adapters.models.providers import KNOWN
from assay.domain.calls.messages import Audio, Generation, Image, Json, Message, Prompt, ToolCall
from assay.domain.errors import UnsupportedError
from assay.engine.ports import Request

PICTURE = Image("data:image/png;base64,AAAA")
SCHEMA: Json = {"type": "object", "properties": {"x": {"type": "number"}}}
FUNCTION: Json = {"name": "f", "description": "d", "parameters": SCHEMA}
FORM: Json = {"type": "json_schema", "json_schema": {"name": "a", "strict": True, "schema": SCHEMA}}
EVERYTHING = Generation(temperature=0.5, top_p=0.9, max_tokens=100, reasoning_effort="low", seed=7)
CALLS = (ToolCall("c1", "f", '{"x": 1}'), ToolCall("c2", "f", ""))
CONVERSATION = (
    Message("system", "Be brief."),
    Message("user", ("What is this?", PICTURE)),
    Message("assistant", "Let me see.", tool_calls=CALLS),
    Message("tool", '{"y": 2}', tool_call_id="c1"),
    Message("tool", "two", tool_call_id="c2"),
    Message("user", "And?"),
)


def body(form: ApiFormat, request: Request, *, model: str = "m", stream: bool = True) -> dict[str, Any]:
    return json.loads(form.body(model, request, Options(stream, include_usage=True)))


def asked(text: str = "hi", generation: Generation | None = None, **extra: Json) -> Request:
    return Request(Prompt((Message("user", text),), extra), generation or Generation())


def test_a_conversation_as_anthropic_takes_it() -> None:
    sent = body(AnthropicMessages(), Request(Prompt(CONVERSATION), Generation(max_tokens=9)))
    assert sent == {
        "model": "m",
        "max_tokens": 9,
        "stream": True,
        "system": "Be brief.",
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "What is this?"},
                    {
                        "type": "image",
                        "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
                    },
                ],
            },
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Let me see."},
                    {"type": "tool_use", "id": "c1", "name": "f", "input": {"x": 1}},
                    # What a model wrote need not be an object.
                    {"type": "tool_use", "id": "c2", "name": "f", "input": {"INVALID_JSON": ""}},
                ],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "c1",
                        "content": [{"type": "text", "text": '{"y": 2}'}],
                    },
                    {
                        "type": "tool_result",
                        "tool_use_id": "c2",
                        "content": [{"type": "text", "text": "two"}],
                    },
                    {"type": "text", "text": "And?"},
                ],
            },
        ],
    }


def test_a_conversation_as_google_takes_it() -> None:
    sent = body(Gemini(), Request(Prompt(CONVERSATION), Generation()), model="gemini-2.5-pro")
    assert sent == {
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"text": "What is this?"},
                    {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
                ],
            },
            {
                "role": "model",
                "parts": [
                    {"text": "Let me see."},
                    {"functionCall": {"name": "f", "args": {"x": 1}, "id": "c1"}},
                    {"functionCall": {"name": "f", "args": {"INVALID_JSON": ""}, "id": "c2"}},
                ],
            },
            {
                "role": "user",
                "parts": [
                    {"functionResponse": {"name": "f", "response": {"y": 2}, "id": "c1"}},
                    {"functionResponse": {"name": "f", "response": {"output": "two"}, "id": "c2"}},
                    {"text": "And?"},
                ],
            },
        ],
    }


def test_a_conversation_as_openais_responses_takes_it() -> None:
    sent = body(OpenAIResponses(), Request(Prompt(CONVERSATION), Generation()))
    assert sent == {
        "model": "m",
        "stream": True,
        "store": False,
        "input": [
            {"role": "system", "content": [{"type": "input_text", "text": "Be brief."}]},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "What is this?"},
                    {"type": "input_image", "image_url": PICTURE.url},
                ],
            },
            {"role": "assistant", "content": [{"type": "output_text", "text": "Let me see."}]},
            {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"x": 1}'},
            {"type": "function_call", "call_id": "c2", "name": "f", "arguments": ""},
            {"type": "function_call_output", "call_id": "c1", "output": '{"y": 2}'},
            {"type": "function_call_output", "call_id": "c2", "output": "two"},
            {"role": "user", "content": [{"type": "input_text", "text": "And?"}]},
        ],
    }


def test_a_conversation_that_the_assistant_opens_gets_a_first_turn_of_the_user() -> None:
    request = Request(Prompt((Message("assistant", "Hello?"), Message("user", "Hi."))), Generation())
    turns = body(AnthropicMessages(), request)["messages"]
    assert [(turn["role"], turn["content"][0]["text"]) for turn in turns] == [
        ("user", "."),
        ("assistant", "Hello?"),
        ("user", "Hi."),
    ]
    contents = body(Gemini(), request)["contents"]
    assert [(turn["role"], turn["parts"][0]["text"]) for turn in contents] == [
        ("user", "."),
        ("model", "Hello?"),
        ("user", "Hi."),
    ]


def test_settings_in_each_vendors_words() -> None:
    anthropic = body(AnthropicMessages(), asked(generation=EVERYTHING, response_format=FORM))
    assert (anthropic["temperature"], anthropic["top_p"], anthropic["max_tokens"]) == (0.5, 0.9, 100)
    assert anthropic["thinking"] == {"type": "adaptive"}
    assert anthropic["output_config"] == {
        "effort": "low",
        "format": {"type": "json_schema", "schema": SCHEMA},
    }
    assert not anthropic.keys() & {"seed", "reasoning_effort", "response_format"}
    google = body(Gemini(), asked(generation=EVERYTHING, response_format=FORM), model="gemini-3-pro")
    assert google["generationConfig"] == {
        "temperature": 0.5,
        "topP": 0.9,
        "maxOutputTokens": 100,
        "seed": 7,
        "responseMimeType": "application/json",
        "responseJsonSchema": SCHEMA,
        "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True},
    }
    assert google.keys() == {"contents", "generationConfig"}
    openai = body(OpenAIResponses(), asked(generation=EVERYTHING, response_format=FORM))
    assert (openai["temperature"], openai["top_p"], openai["max_output_tokens"]) == (0.5, 0.9, 100)
    assert openai["reasoning"] == {"effort": "low"}
    assert openai["text"] == {
        "format": {"type": "json_schema", "name": "a", "strict": True, "schema": SCHEMA}
    }
    assert not openai.keys() & {"seed", "reasoning_effort", "response_format", "max_tokens", "stream_options"}


@pytest.mark.parametrize(
    ("model", "effort", "expected"),
    [
        ("gemini-3-pro", "high", {"thinkingLevel": "high", "includeThoughts": True}),
        ("gemini-2.5-flash", "medium", {"thinkingBudget": 8_192, "includeThoughts": True}),
        ("gemini-2.5-flash", "512", {"thinkingBudget": 512, "includeThoughts": True}),
        ("gemini-2.5-flash", "none", {"thinkingBudget": 0}),
    ],
)
def test_effort_as_google_takes_it(model: str, effort: str, expected: Json) -> None:
    sent = body(Gemini(), asked(generation=Generation(reasoning_effort=effort)), model=model)
    assert sent["generationConfig"] == {"thinkingConfig": expected}


@pytest.mark.parametrize(
    ("effort", "expected"),
    [("2048", {"type": "enabled", "budget_tokens": 2048}), ("none", {"type": "disabled"})],
)
def test_effort_as_earlier_models_of_anthropic_take_it(effort: str, expected: Json) -> None:
    sent = body(AnthropicMessages(), asked(generation=Generation(reasoning_effort=effort)))
    assert sent["thinking"] == expected
    assert "output_config" not in sent


@pytest.mark.parametrize(
    ("choice", "anthropic", "google", "openai"),
    [
        ("auto", {"type": "auto"}, {"mode": "AUTO"}, "auto"),
        ("none", {"type": "none"}, {"mode": "NONE"}, "none"),
        ("required", {"type": "any"}, {"mode": "ANY"}, "required"),
        (
            {"type": "function", "function": {"name": "f"}},
            {"type": "tool", "name": "f"},
            {"mode": "ANY", "allowedFunctionNames": ["f"]},
            {"type": "function", "name": "f"},
        ),
    ],
)
def test_tools_and_which_of_them_to_use(choice: Json, anthropic: Json, google: Json, openai: Json) -> None:
    # Benchmarks hold their tools in mappings that cannot be changed.
    request = asked(tools=(MappingProxyType({"type": "function", "function": FUNCTION}),), tool_choice=choice)
    sent = body(AnthropicMessages(), request)
    assert sent["tools"] == [{"name": "f", "description": "d", "input_schema": SCHEMA}]
    assert sent["tool_choice"] == anthropic
    sent = body(Gemini(), request)
    declared = {"name": "f", "description": "d", "parametersJsonSchema": SCHEMA}
    assert sent["tools"] == [{"functionDeclarations": [declared]}]
    assert sent["toolConfig"] == {"functionCallingConfig": google}
    sent = body(OpenAIResponses(), request)
    assert sent["tools"] == [
        {"type": "function", "name": "f", "description": "d", "parameters": SCHEMA, "strict": False}
    ]
    assert sent["tool_choice"] == openai


def test_a_vendors_own_fields_pass_and_change_neither_protocol_nor_settings() -> None:
    own: dict[str, Any] = {"top_k": 5, "model": "other", "stream": False, "max_tokens": 1}
    sent = body(AnthropicMessages(), asked(generation=Generation(max_tokens=9), **own))
    assert (sent["top_k"], sent["model"], sent["stream"], sent["max_tokens"]) == (5, "m", True, 9)
    config: dict[str, Any] = {"topK": 5, "temperature": 1, "thinkingConfig": {"includeThoughts": True}}
    sent = body(
        Gemini(), asked(generation=Generation(temperature=0), generationConfig=config, safetySettings=[])
    )
    assert sent["generationConfig"] == {**config, "temperature": 0}
    assert sent["safetySettings"] == []


def test_anthropic_gets_no_top_p_that_changes_nothing_beside_a_temperature() -> None:
    sent = body(AnthropicMessages(), asked(generation=Generation(temperature=0.0, top_p=1.0)))
    assert (sent["temperature"], "top_p" in sent) == (0.0, False)
    assert body(AnthropicMessages(), asked(generation=Generation(top_p=1.0)))["top_p"] == 1.0


def test_sequences_to_stop_at() -> None:
    request = asked(generation=Generation(stop=("\n\n",)))
    assert body(AnthropicMessages(), request)["stop_sequences"] == ["\n\n"]
    assert body(Gemini(), request)["generationConfig"] == {"stopSequences": ["\n\n"]}
    with pytest.raises(UnsupportedError, match="stop sequences"):
        body(OpenAIResponses(), request)


def test_sound_is_what_google_alone_takes() -> None:
    request = Request(Prompt((Message("user", ("Hear:", Audio("AAAA", "wav"))),)), Generation())
    [content] = body(Gemini(), request)["contents"]
    assert content["parts"][1] == {"inlineData": {"mimeType": "audio/wav", "data": "AAAA"}}
    for form in (AnthropicMessages(), OpenAIResponses()):
        with pytest.raises(UnsupportedError, match="audio"):
            body(form, request)


@pytest.mark.parametrize("form", [AnthropicMessages(), Gemini(), OpenAIResponses()])
def test_a_request_of_the_users_own_may_be_of_any_form(form: ApiFormat) -> None:
    odd: list[Json] = [
        None,
        1,
        "x",
        [],
        {},
        {"role": None, "content": 5},
        {"role": "tool", "content": [1, {}]},
    ]
    calls: Json = [1, {"function": 3}, {"id": 5, "function": {"name": [], "arguments": {}}}]
    message: Json = {"role": "assistant", "content": None, "tool_calls": calls}
    url: Json = {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://h/a.png"}}]}
    for messages in (odd, [message, {"role": "user", "content": "q"}], 7, [url]):
        request = Request(
            Prompt.of_body({"messages": messages, "tools": odd, "tool_choice": 3, "response_format": 1}),
            Generation(),
        )
        assert body(form, request)
    assert "https://h/a.png" in json.dumps(
        body(form, Request(Prompt.of_body({"messages": [url]}), Generation()))
    )


@pytest.mark.parametrize(
    ("model", "stream", "path"),
    [
        ("gemini-3", True, "models/gemini-3:streamGenerateContent"),
        ("models/gemini-3", False, "models/gemini-3:generateContent"),
        ("tunedModels/mine", False, "tunedModels/mine:generateContent"),
        ("../../v1/x", False, "v1/x:generateContent"),
    ],
)
def test_the_model_is_a_part_of_googles_path(model: str, path: str, *, stream: bool) -> None:
    route = Gemini().route(model, stream=stream)
    assert (route.path, route.query) == (path, {"alt": "sse"} if stream else {})


@pytest.mark.parametrize(
    ("base_path", "path"),
    [
        ("/", "openai/deployments/my-gpt/chat/completions"),
        ("/openai/deployments/d", "chat/completions"),
        ("/openai/v1", "chat/completions"),
    ],
)
def test_the_deployment_is_a_part_of_azures_path(base_path: str, path: str) -> None:
    form = AzureChat(KNOWN["azure"], base_path)
    assert form.route("my-gpt", stream=True).path == path
    assert form.headers("k") == {"api-key": "k"}
    sent = body(form, asked(generation=Generation(max_tokens=5)))
    assert (sent["max_completion_tokens"], sent["stream_options"]) == (5, {"include_usage": True})


def test_what_is_remembered_is_found_by_messages_and_calls_and_forgotten_in_time() -> None:
    memory = TurnMemory(max_bytes=30)
    question, other = {"role": "user", "content": "a"}, {"role": "user", "content": "b"}
    call: Json = {"id": "own", "function": {"name": "f", "arguments": "{}"}}
    reply: dict[str, Json] = {"role": "assistant", "content": "", "tool_calls": [call]}
    memory.keep([question], [ToolCall("theirs", "f", "{}")], ["first"])
    assert list(memory.recalled([question, reply])) == [None, ["first"]]
    assert list(memory.recalled([other, reply])) == [None, None]
    assert list(memory.recalled([question, {**reply, "tool_calls": [{"function": {"name": "g"}}]}])) == [
        None,
        None,
    ]
    memory.keep([question], [ToolCall("theirs", "f", "{}")], ["again"])
    memory.keep([other], [ToolCall("", "f", "{}")], ["second, which is long"])
    assert list(memory.recalled([other, reply])) == [None, ["second, which is long"]]
    assert list(memory.recalled([question, reply])) == [None, None]
    memory.keep([other], [ToolCall("", "g", "{}")], ["\ud800"])
    assert list(
        memory.recalled([other, {"tool_calls": [{"function": {"name": "g", "arguments": "{}"}}]}])
    ) == [
        None,
        None,
    ]
