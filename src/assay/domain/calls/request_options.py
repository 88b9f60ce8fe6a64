"""Fields that a user adds to the body of every request, as provider routing or a chat template needs them."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import cast

from assay.domain.errors import InvalidValueError
from assay.domain.json_value import Json

MAX_OPTIONS_LENGTH = 16_384
_MAX_DEPTH = 8
_INT64 = range(-(2**63), 2**63)

# What the harness sets itself, with the setting of a run that does it, if there is one.
_RESERVED: Mapping[str, str | None] = {
    "model": None,
    "messages": None,
    "stream": None,
    "stream_options": None,
    "usage": None,
    "n": "samples",
    "tools": None,
    "tool_choice": None,
    "response_format": None,
    "temperature": "temperature",
    "top_p": "top_p",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "reasoning_effort": "reasoning_effort",
    "seed": "model_seed",
    "stop": "stop",
}


def require_allowed(options: Mapping[str, Json]) -> None:
    """Raise InvalidValueError for a field that the harness needs, and for values that cannot be sent."""
    for name, value in options.items():
        if not name:
            raise InvalidValueError("an option needs a name, as in top_k=40")
        if name in _RESERVED:
            setting = _RESERVED[name]
            remedy = f"use the setting {setting!r} of the run" if setting else "leave it out"
            raise InvalidValueError(f"option {name!r} is set by Assay in every request: {remedy}")
        _require_sendable(name, value, depth=1)
    try:
        size = len(json.dumps(_plain(options), ensure_ascii=False).encode())
    except UnicodeEncodeError as error:
        raise InvalidValueError("an option holds a character that UTF-8 cannot encode") from error
    if size > MAX_OPTIONS_LENGTH:
        raise InvalidValueError(f"options take at most {MAX_OPTIONS_LENGTH:,} bytes as JSON, not {size:,}")


def _require_sendable(name: str, value: Json, *, depth: int) -> None:
    if depth > _MAX_DEPTH:
        raise InvalidValueError(f"option {name!r} is nested more than {_MAX_DEPTH} levels deep")
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidValueError(f"option {name!r} must be a finite number, not {value}")
    if isinstance(value, int) and value not in _INT64:
        raise InvalidValueError(f"option {name!r} must be a number of 64 bits")
    if isinstance(value, Mapping):
        for member in value.values():
            _require_sendable(name, member, depth=depth + 1)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for member in value:
            _require_sendable(name, member, depth=depth + 1)


def parsed_options(texts: Sequence[str]) -> dict[str, Json]:
    """`key=value` each; values are JSON where they parse, and keys with dots name nested fields."""
    found: dict[str, Json] = {}
    for text in texts:
        key, sign, value = text.partition("=")
        path = [part.strip() for part in key.split(".")]
        if not sign or not all(path):
            raise InvalidValueError(
                f"option {text!r} is not key=value; for example top_k=40, or"
                " chat_template_kwargs.enable_thinking=false"
            )
        nested: Json = _value(value)
        for part in reversed(path):
            nested = {part: nested}
        found = merged(found, cast("Mapping[str, Json]", nested))  # the path has at least one part
    return found


def _value(text: str) -> Json:
    try:
        return cast("Json", json.loads(text))  # whatever JSON holds
    except (ValueError, RecursionError):
        return text


def merged(ours: Mapping[str, Json], theirs: Mapping[str, Json]) -> dict[str, Json]:
    """`ours` with the fields of `theirs`; objects on both sides are merged."""
    result = dict(ours)
    for name, value in theirs.items():
        own = result.get(name)
        if isinstance(own, Mapping) and isinstance(value, Mapping):
            result[name] = merged(own, value)
        else:
            result[name] = value
    return result


def _plain(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {name: _plain(member) for name, member in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(member) for member in value]
    return value
