"""Tolerant parsing of JSON from servers."""

import json
import re

import orjson

from assay.domain.messages import Json

_SURROGATE = re.compile("[\ud800-\udfff]")


def loads(data: bytes) -> Json:
    """Parse strictly, then leniently: servers do send NaN and lone surrogates; raises ValueError."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return json.loads(data)


def parsed(data: bytes) -> Json:
    """The value, or None if the bytes are not JSON."""
    try:
        return loads(data)
    except ValueError:
        return None


def repaired_text(text: str) -> str:
    """Join surrogate pairs that were split, and replace lone surrogates."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
