"""JSON from servers, and the texts and numbers in it: parsed here only, and trusted in nothing."""

import contextlib
import json
import logging
import re
from decimal import Decimal, InvalidOperation

import orjson

from assay.domain.calls.messages import MAX_TOKENS, Json
from assay.domain.calls.pricing import known_usd
from assay.domain.json_value import has_too_many_values

_log = logging.getLogger(__name__)
_SURROGATE = re.compile("[\ud800-\udfff]")
_SHOWN_CHARS = 40
_MAX_AMOUNT_CHARS = 200


def loads(data: bytes) -> Json:
    """Parse strictly, then leniently: servers do send NaN and lone surrogates; raises ValueError."""
    if has_too_many_values(data):
        raise ValueError("too many values")
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return json.loads(data)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


def parsed(data: bytes) -> Json:
    """The value, or None if the bytes are not JSON."""
    try:
        return loads(data)
    except ValueError:
        return None


def token_count(value: Json) -> int | None:
    """A number of tokens, or None: no number, negative, not finite or too large to be one."""
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MAX_TOKENS:
        return int(value)
    _log_unknown(value)
    return None


def usd_amount(value: Json) -> Decimal | None:
    """An amount of money, also as text, or None: no number, negative, not finite, too large or too precise.

    Routers write a negative price for "it depends".
    """
    if value is None:
        return None
    amount = None
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        # Converted through text: Decimal(0.1) would keep the binary rounding error.
        text = str(value)
        with contextlib.suppress(InvalidOperation):
            amount = known_usd(Decimal(text)) if len(text) <= _MAX_AMOUNT_CHARS else None
    if amount is None:
        _log_unknown(value)
    return amount


def _log_unknown(value: Json) -> None:
    shown = repr(value)[:_SHOWN_CHARS] if isinstance(value, int | float | str) else type(value).__name__
    _log.info("the endpoint sent %s as a count or an amount, which is read as unknown", shown)


def repaired_text(text: str) -> str:
    """Join surrogate pairs that were split, and replace lone surrogates."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
