"""The JSON of a chat completion request."""

from collections.abc import Mapping
from dataclasses import replace

import orjson

from assay.adapters.models.providers import Traits
from assay.domain.calls.messages import Generation, Json
from assay.domain.calls.request_options import merged
from assay.engine.ports import Request

_CAP_FIELDS = ("max_tokens", "max_completion_tokens")
_EFFORT_FIELDS = ("reasoning_effort", "reasoning")
SCHEMA_FIELD = "response_format"


def without_schema(request: Request) -> Request:
    """The same request without a response schema."""
    prompt = request.prompt
    if SCHEMA_FIELD not in prompt.extra:
        return request
    extra = {name: value for name, value in prompt.extra.items() if name != SCHEMA_FIELD}
    return replace(request, prompt=replace(prompt, extra=extra))


def without_sampling(request: Request) -> Request:
    """The same request with the model's own temperature and top_p."""
    given = request.generation
    if given.temperature is None and given.top_p is None:
        return request
    return replace(request, generation=replace(given, temperature=None, top_p=None))


def request_json(model: str, request: Request, *, traits: Traits, stream: bool, include_usage: bool) -> bytes:
    """Fields from the benchmark come first, so that they override neither settings nor protocol."""
    prompt = request.prompt
    body: dict[str, Json] = dict(prompt.extra if prompt.body is None else prompt.body)
    body["model"] = model
    if prompt.body is None:
        body["messages"] = [message.to_json() for message in prompt.messages]
    body["stream"] = stream
    body.pop("stream_options", None)
    if stream and include_usage:
        body["stream_options"] = {"include_usage": True}
    _add_generation(body, request.generation, traits)
    if request.generation.logprobs:
        body["logprobs"] = True
    if traits.dialect == "openrouter":
        # Makes the router report the cost of the call.
        body["usage"] = {"include": True}
    # None of them is a field that is set above.
    body = merged(body, request.generation.options)
    return orjson.dumps(body, default=_plain)


def _add_generation(body: dict[str, Json], generation: Generation, traits: Traits) -> None:
    if generation.temperature is not None:
        body["temperature"] = generation.temperature
    if generation.top_p is not None:
        body["top_p"] = generation.top_p
    if generation.max_tokens is not None:
        # A request may name its token limit in either way; both together are refused.
        for field in _CAP_FIELDS:
            body.pop(field, None)
        body[traits.cap_field] = generation.max_tokens
    if generation.seed is not None:
        body["seed"] = generation.seed
    if generation.stop:
        body["stop"] = list(generation.stop)
    if generation.reasoning_effort is not None:
        _add_effort(body, generation.reasoning_effort, traits)


def _add_effort(body: dict[str, Json], effort: str, traits: Traits) -> None:
    for field in _EFFORT_FIELDS:
        body.pop(field, None)
    if traits.dialect == "openrouter":
        body["reasoning"] = {"effort": effort}
    else:
        body["reasoning_effort"] = effort


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # any mapping goes
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)
