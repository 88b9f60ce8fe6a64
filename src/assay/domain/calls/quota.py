"""Requests and tokens per minute that all processes of an installation together may use of one endpoint.

Every grant reserves a period of time that no other grant has: as long as its units take at the endpoint's
rate. Its holder may use it from the moment it is due, for one second.
"""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["requests", "tokens"]

SPAN_S = 1.0
"""How far ahead units are granted, how long a grant of several units may last, and how long it is valid."""

# Units used within any minute were granted within a minute and two spans. The units of a minute are spread
# over more than that, so that no minute exceeds the limit, whenever it begins.
_WINDOW_S = 60.0 + 3 * SPAN_S


@dataclass(frozen=True, slots=True)
class Claim:
    """A request for `wanted` units of an endpoint that is limited to `per_minute`."""

    endpoint: str
    unit: Unit
    per_minute: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Grant:
    """Units that may be used after `due_in_s`; an amount of 0 means to claim again then."""

    amount: int
    due_in_s: float


def units_per_span(per_minute: int) -> int:
    """The most that one grant should hold, so that every process gets a share; at least 1."""
    return max(1, int(per_minute * SPAN_S / _WINDOW_S))


def granted(claim: Claim, *, free_at: float, now: float) -> tuple[Grant, float]:
    """The grant for a claim, and the new `free_at`; times are seconds of one clock."""
    start = max(free_at, now)
    if start > now + SPAN_S:
        return Grant(0, start - now - SPAN_S), free_at
    return Grant(claim.wanted, start - now), start + claim.wanted * _WINDOW_S / claim.per_minute
