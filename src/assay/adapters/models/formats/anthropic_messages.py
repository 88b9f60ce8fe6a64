"""Anthropic's Messages API."""

from collections.abc import Mapping

import orjson

from assay.adapters.models.formats.api_format import Options, Route
from assay.adapters.models.formats.chat_fields import (
    OPENING,
    Fields,
    audio_of,
    calls_of,
    chat_fields,
    data_of,
    image_url,
    parts_of,
    taken_choice,
    taken_functions,
    taken_messages,
    taken_schema,
    text_of,
)
from assay.adapters.models.formats.messages_replies import MessagesCollector
from assay.adapters.models.formats.turn_memory import TurnMemory
from assay.adapters.models.http_errors import Target
from assay.domain.calls.messages import Json
from assay.domain.errors import UnsupportedError
from assay.engine.ports import Request

_VERSION = "2023-06-01"
# The API wants a cap in every request; a model whose most tokens are unknown can say this many.
_MOST_TOKENS = 8_192
_SYSTEM_ROLES = ("system", "developer")
_CHOICES: Mapping[str, str] = {"auto": "auto", "none": "none", "required": "any"}
# What chat completions have and this API refuses.
_UNKNOWN_FIELDS = ("seed", "parallel_tool_calls", "max_completion_tokens")


class AnthropicMessages:
    models: Route | None = Route("models", {"limit": "1000"})
    filters_prompts = False
    may_refuse_sampling = True
    usage_is_optional = False

    def __init__(self) -> None:
        self._memory = TurnMemory()

    def headers(self, key: str | None) -> Mapping[str, str]:
        return {"anthropic-version": _VERSION, **({"x-api-key": key} if key else {})}

    def route(self, model: str, *, stream: bool) -> Route:
        _ = model, stream
        return Route("messages")

    def body(self, model: str, request: Request, options: Options) -> bytes:
        fields = chat_fields(request)
        if fields.get("logprobs"):
            raise UnsupportedError(
                "the Messages API gives no log-probabilities: nothing was asked; leave out logprobs"
            )
        messages = taken_messages(fields)
        cap = fields.pop("max_tokens", None) or fields.get("max_completion_tokens")
        added: Fields = {
            "model": model,
            "max_tokens": cap or options.most_tokens or _MOST_TOKENS,
            "messages": self._turns(messages),
            "stream": options.stream,
        }
        if system := _system(messages):
            added["system"] = system
        if (stop := fields.pop("stop", None)) is not None:
            added["stop_sequences"] = [stop] if isinstance(stop, str) else stop
        if fields.get("top_p") == 1 and "temperature" in fields:
            # It changes nothing, and some models take only one of the two.
            del fields["top_p"]
        added |= _tools(fields) | _thinking(fields)
        for name in _UNKNOWN_FIELDS:
            fields.pop(name, None)
        # What is left are the vendor's own fields, which a benchmark or an option gave.
        return orjson.dumps({**fields, **added})

    def _turns(self, messages: list[Fields]) -> list[Fields]:
        """Neighbours of one role as one turn: all results of tools come in the turn after their calls."""
        turns: list[tuple[str, list[Json]]] = []
        for message, kept in zip(messages, self._memory.recalled(messages), strict=True):
            if message.get("role") in _SYSTEM_ROLES:
                continue
            role = "assistant" if message.get("role") == "assistant" else "user"
            if not (blocks := [*(kept if isinstance(kept, list) else ()), *_blocks(message)]):
                continue
            if not turns and role == "assistant":
                turns.append(("user", [{"type": "text", "text": OPENING}]))
            if turns and turns[-1][0] == role:
                turns[-1][1].extend(blocks)
            else:
                turns.append((role, blocks))
        return [{"role": role, "content": blocks} for role, blocks in turns]

    def collector(self, target: Target, request: Request) -> MessagesCollector:
        return MessagesCollector(target, request, self._memory)

    def listed(self, value: Json) -> Json:
        """Entries have an `id`, as OpenAI's."""
        return value


def _system(messages: list[Fields]) -> str:
    texts = (text_of(message) for message in messages if message.get("role") in _SYSTEM_ROLES)
    return "\n\n".join(filter(None, texts))


def _blocks(message: Fields) -> list[Json]:
    blocks: list[Json] = [_block(part) for part in parts_of(message)]
    if message.get("role") == "tool":
        return [{"type": "tool_result", "tool_use_id": message.get("tool_call_id"), "content": blocks}]
    calls = calls_of(message)
    return [
        *blocks,
        *({"type": "tool_use", "id": call.id, "name": call.name, "input": call.object} for call in calls),
    ]


def _block(part: Fields) -> Json:
    if (url := image_url(part)) is not None:
        data = data_of(url)
        source: Fields = {"type": "url", "url": url}
        if data is not None:
            source = {"type": "base64", "media_type": data[0], "data": data[1]}
        return {"type": "image", "source": source}
    if audio_of(part) is not None:
        raise UnsupportedError("the Messages API takes no audio: nothing was asked")
    # Such as a text, or a block of the vendor's own form.
    return part


def _tools(fields: Fields) -> Fields:
    functions, choice = taken_functions(fields), taken_choice(fields)
    if not functions:
        return {}
    tools = [
        {
            "name": one.name,
            **({"description": one.description} if one.description else {}),
            "input_schema": one.parameters or {"type": "object", "properties": {}},
        }
        for one in functions
    ]
    if choice is None:
        return {"tools": tools}
    is_named = choice.startswith("=")
    wanted = {"type": "tool", "name": choice[1:]} if is_named else {"type": _CHOICES.get(choice, "auto")}
    return {"tools": tools, "tool_choice": wanted}


def _thinking(fields: Fields) -> Fields:
    """Effort in words is the model's; a number is a budget in tokens, which earlier models take."""
    config = fields.get("output_config")
    config = dict(config) if isinstance(config, dict) else {}
    added: Fields = {}
    effort = fields.pop("reasoning_effort", None)
    if isinstance(effort, str) and effort.isdecimal():
        added["thinking"] = {"type": "enabled", "budget_tokens": int(effort)}
    elif effort == "none":
        added["thinking"] = {"type": "disabled"}
    elif effort is not None:
        added["thinking"] = {"type": "adaptive"}
        config["effort"] = effort
    _, schema = taken_schema(fields)
    if schema is not None:
        config["format"] = {"type": "json_schema", "schema": schema.get("schema")}
    return {**added, **({"output_config": config} if config else {})}
