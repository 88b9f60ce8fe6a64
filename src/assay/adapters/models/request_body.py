"""The JSON of a chat completion request."""

import time
from collections.abc import Mapping

import orjson
from aiohttp.abc import AbstractStreamWriter
from aiohttp.payload import Payload

from assay.adapters.models.providers import Traits
from assay.domain.messages import Generation, Json
from assay.engine.ports import Request


def request_json(model: str, request: Request, *, traits: Traits, stream: bool, include_usage: bool) -> bytes:
    """What the benchmark adds comes first, so that it can override neither the settings nor the protocol."""
    body: dict[str, Json] = dict(request.prompt.extra)
    body["model"] = model
    body["messages"] = [message.to_json() for message in request.prompt.messages]
    body["stream"] = stream
    if stream and include_usage:
        body["stream_options"] = {"include_usage": True}
    _add_generation(body, request.generation, traits)
    if traits.dialect == "openrouter":
        # Makes it report what the call cost.
        body["usage"] = {"include": True}
    return orjson.dumps(body, default=_plain)


def _add_generation(body: dict[str, Json], generation: Generation, traits: Traits) -> None:
    if generation.temperature is not None:
        body["temperature"] = generation.temperature
    if generation.top_p is not None:
        body["top_p"] = generation.top_p
    if generation.max_tokens is not None:
        body[traits.cap_field] = generation.max_tokens
    if generation.seed is not None:
        body["seed"] = generation.seed
    if generation.stop:
        body["stop"] = list(generation.stop)
    if generation.reasoning_effort is None:
        return
    if traits.dialect == "openrouter":
        body["reasoning"] = {"effort": generation.reasoning_effort}
    else:
        body["reasoning_effort"] = generation.reasoning_effort


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # any mapping goes
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)


class TimedBody(Payload):
    """A request body that notes when it is written.

    Any earlier moment counts the connection's set-up and this process's own load as the model's time:
    aiohttp's hook for sent headers fires up to 10 ms before the bytes leave a busy loop, and costs 40 µs.
    """

    _autoclose = True
    written_s: float

    def __init__(self, body: bytes) -> None:
        super().__init__(body, content_type="application/json")
        self._size = len(body)
        self.written_s = time.perf_counter()

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return self._value.decode(encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        await self.write_with_length(writer, None)

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        self.written_s = time.perf_counter()
        await writer.write(self._value[:content_length])
