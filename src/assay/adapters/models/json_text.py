"""JSON as servers really send it."""

import json
import re

import orjson

from assay.domain.messages import Json

_SURROGATE = re.compile("[\ud800-\udfff]")


def loads(data: bytes) -> Json:
    """Parse strictly, then leniently: NaN and halves of surrogate pairs do occur; raises ValueError."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data)


def parsed(data: bytes) -> Json:
    """The value, or None where the bytes are not JSON."""
    try:
        return loads(data)
    except ValueError:
        return None


def mended(text: str) -> str:
    """Join the halves of surrogate pairs that came apart, and replace those whose other half never came."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
