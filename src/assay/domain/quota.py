"""What all processes of an installation together may ask of one endpoint per minute.

Every grant takes a stretch of time that no other has: so many units take so long at the endpoint's rate.
Whoever got it may use it from the moment it is due, for one second.
"""

from dataclasses import dataclass
from typing import Literal

Unit = Literal["requests", "tokens"]

SPAN_S = 1.0
"""How far ahead units are granted, how much time a grant of several takes, and how long it can be used."""

# What is used within any minute was granted within a minute and two spans. A minute's units are stretched
# over more than that, so that no minute sees more than the limit, wherever it begins.
_WINDOW_S = 60.0 + 3 * SPAN_S


@dataclass(frozen=True, slots=True)
class Claim:
    """So many units, of an endpoint that bears `per_minute` of them."""

    endpoint: str
    unit: Unit
    per_minute: int
    wanted: int


@dataclass(frozen=True, slots=True)
class Grant:
    """What may be used in `due_in_s`; an amount of 0 says to claim again then."""

    amount: int
    due_in_s: float


def units_per_span(per_minute: int) -> int:
    """The most that one grant should hold, so that every process gets its turn; at least one."""
    return max(1, int(per_minute * SPAN_S / _WINDOW_S))


def granted(claim: Claim, *, free_at: float, now: float) -> tuple[Grant, float]:
    """What the claim gets, and from when on the endpoint is free then; times in seconds of one clock."""
    start = max(free_at, now)
    if start > now + SPAN_S:
        return Grant(0, start - now - SPAN_S), free_at
    return Grant(claim.wanted, start - now), start + claim.wanted * _WINDOW_S / claim.per_minute
