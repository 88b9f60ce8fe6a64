"""Estimates when runs start and finish, from how fast attempts have been finishing; no I/O."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from assay.domain.run import RunId

# The speed of a model varies by about this much, however many attempts were counted.
_LEAST_SPREAD = 0.1
# Half the width of a 95 % interval of a count, in its standard deviations.
_DEVIATIONS = 2.0
_LEAST_WINDOW_S = 5.0


@dataclass(frozen=True, slots=True)
class Rate:
    """Attempts per second, with the interval that follows from the number of attempts counted."""

    low: float
    value: float
    high: float

    def __add__(self, other: "Rate") -> "Rate":
        return Rate(self.low + other.low, self.value + other.value, self.high + other.high)


def measured_rate(attempts: int, seconds: float) -> Rate | None:
    """None if no attempt was finished, or no time has passed."""
    if attempts < 1 or seconds <= 0:
        return None
    value = attempts / seconds
    spread = 1 + max(_LEAST_SPREAD, _DEVIATIONS / sqrt(attempts))
    return Rate(value / spread, value, value * spread)


class PaceMeter:
    """Records how many attempts of each run were finished, over the last minutes."""

    def __init__(self, *, window_s: float = 300.0) -> None:
        self._window_s = window_s
        self._seen: deque[tuple[float, Mapping[RunId, int]]] = deque()

    def note(self, now_s: float, finished: Mapping[RunId, int]) -> None:
        self._seen.append((now_s, dict(finished)))
        while now_s - self._seen[0][0] > self._window_s:
            self._seen.popleft()

    def rate(self, run_id: RunId) -> Rate | None:
        """None until the run has been observed for some seconds."""
        moments = [(at_s, counts[run_id]) for at_s, counts in self._seen if run_id in counts]
        if not moments:
            return None
        (first_s, before), (last_s, after) = moments[0], moments[-1]
        return (
            measured_rate(after - before, last_s - first_s) if last_s - first_s >= _LEAST_WINDOW_S else None
        )


@dataclass(frozen=True, slots=True)
class Spread:
    """Seconds from now: the earliest and the latest estimate."""

    low_s: float
    high_s: float


@dataclass(frozen=True, slots=True)
class WaitingShard:
    """A shard in the queue, with the number of its attempts that are not done."""

    run_id: RunId
    attempts: float


@dataclass(frozen=True, slots=True)
class Fleet:
    """The speed and free slots of all workers; without a rate there is no estimate."""

    rate: Rate | None
    free_slots: int = 0


@dataclass(frozen=True, slots=True)
class Outlook:
    """`position` counts the runs that have not begun, from 1; None means unknown."""

    position: int | None = None
    start: Spread | None = None
    finish: Spread | None = None


UNKNOWN = Outlook()


def outlooks(
    waiting: Sequence[WaitingShard],
    in_hand: Mapping[RunId, float],
    *,
    fleet: Fleet,
    own_rates: Mapping[RunId, Rate],
) -> dict[RunId, Outlook]:
    """For every run that has shards in the queue (in its order) or attempts in a worker's hands.

    The fleet is taken as one stream that does the attempts in order. At the earliest a slot is free as soon
    as the shards ahead have begun; at the latest all that is in hand is done first.
    """
    found: dict[RunId, Outlook] = {}
    begun = dict.fromkeys(in_hand, 0)
    held = sum(in_hand.values())
    place, ahead = 0, 0.0
    for index, shard in enumerate(waiting):
        known = found.get(shard.run_id)
        if known is None:
            is_begun = shard.run_id in begun
            place += not is_begun
            start = None if is_begun else _start(ahead, held, fleet, is_next=index < fleet.free_slots)
            known = Outlook(None if is_begun else place, start)
        ahead += shard.attempts
        found[shard.run_id] = Outlook(known.position, known.start, _span(ahead, ahead + held, fleet.rate))
    for run_id, left in in_hand.items():
        if run_id not in found:
            found[run_id] = Outlook(finish=_span(left, left, own_rates.get(run_id) or fleet.rate))
    return found


def _start(ahead: float, held: float, fleet: Fleet, *, is_next: bool) -> Spread | None:
    return Spread(0.0, 0.0) if is_next else _span(ahead, ahead + held, fleet.rate)


def _span(least: float, most: float, rate: Rate | None) -> Spread | None:
    return None if rate is None else Spread(least / rate.high, most / rate.low)
