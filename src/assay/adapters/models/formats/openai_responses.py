"""OpenAI's Responses API."""

from collections.abc import Iterator, Mapping

import orjson

from assay.adapters.models.formats.api_format import Options, Route
from assay.adapters.models.formats.chat_fields import (
    Fields,
    Function,
    audio_of,
    calls_of,
    chat_fields,
    image_url,
    parts_of,
    taken_choice,
    taken_functions,
    taken_messages,
    taken_schema,
    text_of,
)
from assay.adapters.models.formats.responses_replies import ResponsesCollector
from assay.adapters.models.formats.turn_memory import TurnMemory
from assay.adapters.models.http_errors import Target
from assay.domain.calls.messages import Json
from assay.domain.errors import UnsupportedError
from assay.engine.ports import Request

_LOGPROBS = "message.output_text.logprobs"
# What chat completions have and this API refuses.
_UNKNOWN_FIELDS = ("seed", "n", "max_completion_tokens", "stream_options")


class OpenAIResponses:
    models: Route | None = Route("models")
    filters_prompts = False
    may_refuse_sampling = True
    usage_is_optional = False

    def __init__(self) -> None:
        self._memory = TurnMemory()

    def headers(self, key: str | None) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {key}"} if key else {}

    def route(self, model: str, *, stream: bool) -> Route:
        _ = model, stream
        return Route("responses")

    def body(self, model: str, request: Request, options: Options) -> bytes:
        fields = chat_fields(request)
        if fields.pop("stop", None):
            raise UnsupportedError(
                "the Responses API takes no stop sequences: nothing was asked; use chat completions"
            )
        messages = taken_messages(fields)
        cap = fields.pop("max_tokens", None) or fields.get("max_completion_tokens")
        added: Fields = {
            "model": model,
            "input": [
                item
                for message, kept in zip(messages, self._memory.recalled(messages), strict=True)
                for item in (*(kept if isinstance(kept, list) else ()), *_items(message))
            ],
            "stream": options.stream,
            # The questions of a benchmark are not to be kept by the vendor.
            "store": False,
        }
        if cap is not None:
            added["max_output_tokens"] = cap
        added |= _tools(fields) | _settings(fields)
        for name in _UNKNOWN_FIELDS:
            fields.pop(name, None)
        return orjson.dumps({**fields, **added})

    def collector(self, target: Target, request: Request) -> ResponsesCollector:
        return ResponsesCollector(target, request, self._memory)

    def listed(self, value: Json) -> Json:
        return value


def _items(message: Fields) -> Iterator[Json]:
    role = message.get("role")
    if role == "tool":
        yield {
            "type": "function_call_output",
            "call_id": message.get("tool_call_id"),
            "output": text_of(message),
        }
        return
    is_output = role == "assistant"
    if content := [_content(part, is_output=is_output) for part in parts_of(message)]:
        yield {"role": role, "content": content}
    for call in calls_of(message):
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _content(part: Fields, *, is_output: bool) -> Json:
    if (url := image_url(part)) is not None:
        return {"type": "input_image", "image_url": url}
    if audio_of(part) is not None:
        raise UnsupportedError("the Responses API takes no audio: nothing was asked")
    if part.get("type") == "text":
        return {"type": "output_text" if is_output else "input_text", "text": part["text"]}
    return part


def _tools(fields: Fields) -> Fields:
    functions, choice = taken_functions(fields), taken_choice(fields)
    if not functions:
        return {}
    tools: Fields = {"tools": [_tool(one) for one in functions]}
    if choice is not None:
        named: Json = {"type": "function", "name": choice[1:]} if choice.startswith("=") else choice
        tools["tool_choice"] = named
    return tools


def _tool(function: Function) -> Fields:
    """Not strict unless the benchmark says so, as in chat completions: here the default is another."""
    return {
        "type": "function",
        "name": function.name,
        "description": function.description,
        "parameters": function.parameters or {"type": "object", "properties": {}},
        "strict": function.strict is True,
    }


def _settings(fields: Fields) -> Fields:
    added: Fields = {}
    if (effort := fields.pop("reasoning_effort", None)) is not None:
        added["reasoning"] = {**_object(fields.get("reasoning")), "effort": effort}
    wants_json, schema = taken_schema(fields)
    if wants_json:
        form: Fields = {"type": "json_object"} if schema is None else {"type": "json_schema", **schema}
        added["text"] = {**_object(fields.get("text")), "format": form}
    if fields.pop("logprobs", None):
        included = fields.get("include")
        added["include"] = [*(included if isinstance(included, list) else ()), _LOGPROBS]
    return added


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}
