"""The composite score: five parts from 0 to 1, their weights, and the quality that three of them require."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum

from assay.domain.errors import InvalidValueError

WHOLE = 100.0
DEFAULT_MINIMUM_QUALITY = 0.25
_TOLERANCE = 1e-6
# With fewer known values an endpoint could choose what it is measured by, failing all it does badly.
LEAST_KNOWN = 0.9


class Part(StrEnum):
    QUALITY = "quality"
    SPEED = "speed"
    COST = "cost"
    STREAMING = "streaming"
    MULTIMODAL = "multimodal"


# How fast, cheap and even a useless answer arrives is worth nothing.
GATED = (Part.SPEED, Part.COST, Part.STREAMING)


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part is worth, in points of 100."""

    quality: float = 40.0
    speed: float = 20.0
    cost: float = 15.0
    streaming: float = 15.0
    multimodal: float = 10.0

    def __post_init__(self) -> None:
        for name, weight in asdict(self).items():
            if not (math.isfinite(weight) and weight >= 0):
                raise InvalidValueError(f"weight of {name} must be 0 to {WHOLE:g}, not {weight:g}")
        total = math.fsum(asdict(self).values())
        if abs(total - WHOLE) > _TOLERANCE:
            raise InvalidValueError(f"weights must add up to {WHOLE:g}, not {total:g}")

    def of(self, part: Part) -> float:
        weight: float = getattr(self, part.value)
        return weight


@dataclass(frozen=True, slots=True)
class CompositeRule:
    """How the composite of a run is computed.

    Speed, cost and streaming count only if the quality, corrected for guessing, is at least
    `minimum_quality`.
    """

    weights: Weights = Weights()
    minimum_quality: float = DEFAULT_MINIMUM_QUALITY

    def __post_init__(self) -> None:
        if not 0 <= self.minimum_quality <= 1:
            raise InvalidValueError(f"minimum quality must be 0 to 1, not {self.minimum_quality:g}")


@dataclass(frozen=True, slots=True)
class PartScore:
    """A mean of values from 0 to 1; `low` and `high` are it if all that is missing were 0, and if it were 1.

    `value` is None where nothing is known. `n` of `total` values are known.
    """

    value: float | None
    low: float
    high: float
    n: int
    total: int
    note: str = ""

    @property
    def is_known(self) -> bool:
        """Whether it has a value, and enough of what that is the mean of."""
        return self.value is not None and self.n >= LEAST_KNOWN * self.total


def no_data(note: str = "") -> PartScore:
    return PartScore(None, 0.0, 1.0, 0, 0, note)


def mean_of(parts: Iterable[PartScore]) -> PartScore:
    """Their unweighted mean, which has a value only if each of them has one; with all their notes."""
    found = tuple(parts)
    note = "; ".join(dict.fromkeys(one.note for one in found if one.note))
    if not found:
        return no_data(note)
    values = [one.value for one in found if one.value is not None]
    return PartScore(
        math.fsum(values) / len(found) if len(values) == len(found) else None,
        math.fsum(one.low for one in found) / len(found),
        math.fsum(one.high for one in found) / len(found),
        sum(one.n for one in found),
        sum(one.total for one in found),
        note,
    )


@dataclass(frozen=True, slots=True)
class Composite:
    """`value` is None if a part that counts has no data; `low` and `high` bound it whatever is missing.

    `missing` are the parts with no data or too little; `closed` those that do not count because the quality
    is too low.
    """

    rule: CompositeRule
    parts: Mapping[Part, PartScore]
    value: float | None
    low: float
    high: float
    missing: tuple[Part, ...] = ()
    closed: tuple[Part, ...] = ()

    def points(self, part: Part) -> float | None:
        """What the part adds to the composite."""
        if part in self.closed:
            return 0.0
        value = self.parts[part].value
        return None if value is None else self.rule.weights.of(part) * value

    @property
    def sentence(self) -> str:
        span = f"{self.low:.1f} to {self.high:.1f}"
        if self.value is None:
            reasons = "; ".join(f"{part.value} {_lack(self.parts[part])}" for part in self.missing)
            text = f"no composite: {reasons}. With any values for what is missing it is {span} of 100"
        elif self.high - self.low < 0.05:  # noqa: PLR2004 # nothing that one decimal shows
            text = f"composite {self.value:.1f} of 100"
        else:
            text = f"composite {self.value:.1f} of 100; with any values for what is missing, {span}"
        if not self.closed:
            return text
        names = ", ".join(part.value for part in self.closed)
        return f"{text}. Without points for {names}: the quality is below {self.rule.minimum_quality:g}"


def _lack(score: PartScore) -> str:
    if score.is_known:
        return "depends on a quality that is not known"
    if score.value is not None:
        return f"is known for {score.n:,} of {score.total:,} only"
    return "has no data" + (f" ({score.note})" if score.note else "")


def composite(
    parts: Mapping[Part, PartScore],
    *,
    rule: CompositeRule,
    gates: Mapping[Part, PartScore],
) -> Composite:
    """The weighted sum of `parts`; `gates` has the quality on which each gated part depends."""
    least = rule.minimum_quality
    value = low = high = 0.0
    missing: list[Part] = []
    closed: list[Part] = []
    for part in Part:
        weight, score, gate = rule.weights.of(part), parts[part], gates.get(part)
        if not weight:
            continue
        low += weight * score.low if gate is None or gate.low >= least else 0.0
        high += weight * score.high if gate is None or gate.high >= least else 0.0
        if gate is not None and gate.value is not None and gate.value < least:
            closed.append(part)
        elif score.value is None or not score.is_known or (gate is not None and not gate.is_known):
            missing.append(part)
        else:
            value += weight * score.value
    return Composite(
        rule, parts, None if missing else value, low, high, missing=tuple(missing), closed=tuple(closed)
    )
