"""The bytes of the test endpoint's replies."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import orjson

from assay.adapters.simserver.script import Script
from assay.domain.calls.messages import Json

_LETTERS = "ABCD"
_CHARS_PER_TOKEN = 4
_ID = "chatcmpl-sim"
_CREATED = 1_700_000_000
_THOUGHT = "Let me think about it. "
_OPENING = {"think": "<think>", "unclosed": "<think>", "thinking": "<thinking>"}
_CLOSING = {"think": "</think>\n\n", "thinking": "</thinking>\n\n", "closing": "</think>\n\n"}
_FIELDS = ("reasoning_content", "reasoning")
_TOOL_ARGUMENTS = ('{"city":', ' "Paris"}')


@dataclass(frozen=True, slots=True)
class Ask:
    """The parts of a request that the endpoint reads."""

    model: str
    prompt: str
    stream: bool
    wants_usage: bool
    fields: frozenset[str]


def parse_ask(body: bytes) -> Ask | None:
    """The request, or None if it is not one."""
    try:
        value: Json = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    if not isinstance(value, Mapping):
        return None
    model, messages, options = value.get("model"), value.get("messages"), value.get("stream_options")
    if not isinstance(model, str) or not isinstance(messages, Sequence):
        return None
    return Ask(
        model=model,
        prompt="\n\n".join(_text(message) for message in messages),
        stream=value.get("stream") is True,
        wants_usage=isinstance(options, Mapping) and options.get("include_usage") is True,
        fields=frozenset(value),
    )


def _text(message: Json) -> str:
    content = message.get("content") if isinstance(message, Mapping) else None
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    texts = [part.get("text") for part in content if isinstance(part, Mapping)]
    return "\n".join(text for text in texts if isinstance(text, str))


def answer_text(script: Script, prompt: str) -> str:
    if script.answer == "echo":
        text = prompt
    elif script.answer == "fixed":
        text = script.text
    else:
        digest = hashlib.blake2b(f"{script.seed}:{prompt}".encode(), digest_size=2).digest()
        text = f"The answer is ({_LETTERS[digest[0] % len(_LETTERS)]})."
    return text + "x" * script.pad_bytes


def usage_json(script: Script, prompt: str, answer: str) -> dict[str, Json]:
    thought = 0 if script.reasoning == "none" else _tokens(_THOUGHT)
    input_tokens, output_tokens = _tokens(prompt), _tokens(answer) + thought
    return {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
        "completion_tokens_details": {"reasoning_tokens": thought},
        "prompt_tokens_details": {"cached_tokens": 0},
    }


def _tokens(text: str) -> int:
    return max(1, len(text) // _CHARS_PER_TOKEN)


def unary_body(script: Script, ask: Ask) -> bytes:
    """The whole reply as one JSON object."""
    answer = answer_text(script, ask.prompt)
    content = _OPENING.get(script.reasoning, "")
    if content or script.reasoning == "closing":
        content += _THOUGHT + _CLOSING.get(script.reasoning, "")
    text = None if script.refusal else content + answer
    message: dict[str, Json] = {
        "role": "assistant",
        "content": _content(script, text),
    }
    if script.reasoning in _FIELDS:
        message[script.reasoning] = _THOUGHT
    if script.refusal:
        message["refusal"] = script.refusal
    if script.tools:
        function: Json = {"name": "weather", "arguments": "".join(_TOOL_ARGUMENTS)}
        message["tool_calls"] = [{"id": "call-1", "type": "function", "function": function}]
    body: dict[str, Json] = {
        "id": _ID,
        "object": "chat.completion",
        "created": _CREATED,
        "model": ask.model,
        "system_fingerprint": "sim",
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(script)}],
    }
    if script.usage != "none":
        body["usage"] = usage_json(script, ask.prompt, answer)
    return orjson.dumps(body)


def _finish(script: Script) -> str | None:
    return None if script.finish == "none" else script.finish


@lru_cache(maxsize=1024)
def content_chunks(script: Script, model: str, answer: str) -> tuple[bytes, ...]:
    """The JSON of the chunks that do not depend on the request: role, reasoning, content, finish."""
    deltas: list[dict[str, Json]] = [{"role": "assistant", "content": ""}]
    opening, closing = _OPENING.get(script.reasoning, ""), _CLOSING.get(script.reasoning, "")
    if script.reasoning in _FIELDS:
        deltas.append({script.reasoning: _THOUGHT})
    elif opening or closing:
        deltas.extend({"content": piece} for piece in (opening, _THOUGHT, closing) if piece)
    if script.refusal:
        deltas.append({"refusal": script.refusal})
    else:
        deltas.extend({"content": _content(script, piece)} for piece in pieces(answer, script.chunks))
    if script.tools:
        deltas.extend(_tool_deltas())
    bodies = [_chunk(model, delta, None) for delta in deltas]
    if script.finish != "none":
        bodies.append(_chunk(model, {}, script.finish))
    return tuple(bodies)


def _content(script: Script, text: str | None) -> Json:
    return [{"type": "text", "text": text}] if script.parts else text


def _tool_deltas() -> list[dict[str, Json]]:
    named: Json = {"name": "weather", "arguments": ""}
    head: Json = {"index": 0, "id": "call-1", "type": "function", "function": named}
    tail: list[Json] = [{"index": 0, "function": {"arguments": piece}} for piece in _TOOL_ARGUMENTS]
    return [{"tool_calls": [call]} for call in (head, *tail)]


def _chunk(model: str, delta: dict[str, Json], finish: str | None) -> bytes:
    choice: dict[str, Json] = {"index": 0, "delta": delta, "finish_reason": finish}
    return orjson.dumps(_envelope(model) | {"choices": [choice]})


def _envelope(model: str) -> dict[str, Json]:
    return {
        "id": _ID,
        "object": "chat.completion.chunk",
        "created": _CREATED,
        "model": model,
        "system_fingerprint": "sim",
    }


def usage_chunk(model: str, usage: dict[str, Json]) -> bytes:
    return orjson.dumps(_envelope(model) | {"choices": [], "usage": usage})


def with_usage(chunk: bytes, usage: dict[str, Json]) -> bytes:
    return b'{"usage":' + orjson.dumps(usage) + b"," + chunk[1:]


def with_stamp(chunk: bytes, sent_at_ns: int) -> bytes:
    return b'{"assay":{"sent_at_ns":%d},' % sent_at_ns + chunk[1:]


def pieces(text: str, count: int) -> list[str]:
    """The text in `count` pieces of nearly equal length, fewer if it is too short."""
    count = max(1, min(count, len(text)))
    edges = [len(text) * index // count for index in range(count + 1)]
    return [text[start:end] for start, end in pairwise(edges)]


def error_body(status: int, *, code: str, message: str, param: str | None = None) -> bytes:
    error: dict[str, Json] = {"message": message, "type": "sim_error", "param": param, "code": code or status}
    return orjson.dumps({"error": error})
