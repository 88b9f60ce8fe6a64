"""When requests are due, and when clients work: pure arithmetic over the length of a stage."""

import math
import re
from collections.abc import Iterator
from itertools import count
from random import Random

from assay.domain.errors import InvalidValueError
from assay.domain.load import Loop, Spacing, Stage

_ENTRY = re.compile(r"(?P<first>\d+(?:\.\d+)?)(?:\.\.(?P<last>\d+(?:\.\d+)?))?")
_MOST_STAGES = 100
_MOST_LOAD = {"closed": 10_000, "open": 100_000}


def read_stages(text: str, loop: Loop) -> tuple[Stage, ...]:
    """Steps and ramps such as `1,2,4` or `10..100,100`."""
    stages = tuple(_stage(entry.strip(), loop) for entry in text.split(","))
    if len(stages) > _MOST_STAGES:
        raise InvalidValueError(f"a load test has at most {_MOST_STAGES} stages, not {len(stages)}")
    return stages


def _stage(entry: str, loop: Loop) -> Stage:
    found = _ENTRY.fullmatch(entry)
    if not found:
        raise InvalidValueError(f"a load is a number such as 8, or a ramp such as 1..64, not {entry!r}")
    stage = Stage(float(found["first"]), float(found["last"] or found["first"]))
    most = _MOST_LOAD[loop]
    if not 0 < max(stage.first, stage.last) <= most:
        raise InvalidValueError(f"a load must be more than 0 and at most {most:,}, not {entry!r}")
    if loop == "closed" and not (stage.first.is_integer() and stage.last.is_integer()):
        raise InvalidValueError(f"a number of clients is a whole number, not {entry!r}")
    return stage


def due_times(stage: Stage, stage_s: float, *, spacing: Spacing, random: Random) -> Iterator[float]:
    """Seconds after the start of the stage at which a request is due, while its rate holds or changes.

    Arrivals at rate 1 are stretched so that as many are due by each moment as the rate so far asks for: the
    definition of a Poisson process whose rate changes, and of even spacing as well.
    """
    arrived = 0.0
    for number in count():
        arrived = number if spacing == "constant" else arrived + random.expovariate(1.0)
        due_s = _moment(stage, stage_s, arrived)
        if due_s is None or due_s >= stage_s:
            return
        yield due_s


def _moment(stage: Stage, stage_s: float, arrived: float) -> float | None:
    """When `arrived` requests are due in all: the root of first·t + slope·t²/2 = arrived."""
    if not arrived:
        return 0.0
    inside = stage.first**2 + 2 * arrived * (stage.last - stage.first) / stage_s
    # A falling rate would reach 0 before so many are due.
    return None if inside < 0 else 2 * arrived / (stage.first + math.sqrt(inside))


def client_spans(stage: Stage, stage_s: float) -> tuple[tuple[float, float], ...]:
    """From when to when each client of a closed loop works, in seconds after the start of the stage.

    Client number k works while the load, which may be between two whole numbers, is more than k - ½.
    """
    low, high = sorted((int(stage.first), int(stage.last)))
    spans: list[tuple[float, float]] = []
    for client in range(1, high + 1):
        edge_s = 0.0 if client <= low else stage_s * (client - 0.5 - low) / (high - low)
        spans.append((edge_s, stage_s) if stage.last >= stage.first else (0.0, stage_s - edge_s))
    return tuple(spans)
