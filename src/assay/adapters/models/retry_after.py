"""How long an endpoint asks clients to wait."""

import math
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_RESET = "x-ratelimit-reset"
_REMAINING = "x-ratelimit-remaining"
# A bare number this large is a moment since 1970, in seconds or in milliseconds.
_EPOCH_S = 1e9
_EPOCH_MS = 1e12
# A longer wait counts as this one: no call is retried after so long.
_MAX_WAIT_S = 86_400.0


def retry_after_s(headers: Mapping[str, str], *, now_s: float | None = None) -> float | None:
    """Seconds to wait, at most a day; None if the endpoint does not say."""
    now_s = time.time() if now_s is None else now_s
    wait_s = _requested_s({name.lower(): value.strip() for name, value in headers.items()}, now_s)
    return None if wait_s is None else min(max(0.0, wait_s), _MAX_WAIT_S)


def _requested_s(headers: Mapping[str, str], now_s: float) -> float | None:
    """From the most precise header present."""
    if (wait_ms := _number(headers.get("retry-after-ms"))) is not None:
        return wait_ms / 1000
    if text := headers.get("retry-after"):
        wait_s = _number(text)
        wait_s = _until_date_s(text, now_s) if wait_s is None else wait_s
        if wait_s is not None:
            return wait_s
    waits_s = [_reset_s(value, now_s) for name, value in headers.items() if _is_exhausted(name, headers)]
    return max((wait_s for wait_s in waits_s if wait_s is not None), default=None)


def _is_exhausted(name: str, headers: Mapping[str, str]) -> bool:
    """Whether this header is the reset time of a limit that is used up."""
    if not name.startswith(_RESET):
        return False
    remaining = _number(headers.get(_REMAINING + name.removeprefix(_RESET)))
    return remaining is None or remaining <= 0


def _reset_s(text: str, now_s: float) -> float | None:
    number = _number(text)
    if number is None:
        parts = _DURATION.findall(text)
        is_duration = bool(parts) and "".join(map("".join, parts)) == text
        return sum(float(amount) * _UNIT_S[unit] for amount, unit in parts) if is_duration else None
    if number >= _EPOCH_MS:
        number = number / 1000 - now_s
    elif number >= _EPOCH_S:
        number -= now_s
    return number


def _until_date_s(text: str, now_s: float) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp() - now_s
    except (ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text else None
    except ValueError:
        return None
    return number if number is not None and math.isfinite(number) else None
