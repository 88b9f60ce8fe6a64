"""JSON text for values of no fixed form."""

import contextlib
import json
import re
from collections.abc import Mapping

import orjson

from assay.domain.calls.messages import Json

_LONG_NUMBER = re.compile(r"\d{19}")


def json_text(value: Json) -> str:
    """Any JSON value; orjson refuses half a surrogate pair, which is then written as an escape."""
    try:
        return orjson.dumps(value, default=dict).decode()
    except orjson.JSONEncodeError:
        return json.dumps(value, default=dict, separators=(",", ":"))


def json_value(text: str | bytes) -> Json:
    """The value as it was written; orjson would round integers of more than 64 bits."""
    if not _LONG_NUMBER.search(text if isinstance(text, str) else text.decode()):
        with contextlib.suppress(orjson.JSONDecodeError):
            return orjson.loads(text)
    return json.loads(text)


def json_object(text: str) -> Mapping[str, Json]:
    value = json_value(text)
    if not isinstance(value, dict):
        raise TypeError(f"expected a JSON object, not {type(value).__name__}")
    return value
