"""JSON text for values of no fixed form."""

import json
from collections.abc import Mapping

import orjson

from assay.domain.messages import Json


def json_text(value: Json) -> str:
    """Any JSON value; orjson refuses half a surrogate pair, which is then written as an escape."""
    try:
        return orjson.dumps(value, default=dict).decode()
    except orjson.JSONEncodeError:
        return json.dumps(value, default=dict, separators=(",", ":"))


def json_value(text: str | bytes) -> Json:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return json.loads(text)


def json_object(text: str) -> Mapping[str, Json]:
    value = json_value(text)
    if not isinstance(value, dict):
        raise TypeError(f"expected a JSON object, not {type(value).__name__}")
    return value
