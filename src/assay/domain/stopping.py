"""When a run ends before all of its items are asked: once what it was started for is known."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from assay.domain.errors import InvalidValueError
from assay.domain.stats import EquivalenceRule

Until = Literal["decided", "equivalent", "better"]
"""Until any of better, worse and equivalent is certain; whether it is equivalent; which one is better."""

_UNTIL: Mapping[str, Until] = {"decided": "decided", "equivalent": "equivalent", "better": "better"}
MAX_RACERS = 16
DEFAULT_MARGIN = 0.01
DEFAULT_ALPHA = 0.05
_NUMBER = r"\d*\.?\d+"
_CONDITION = re.compile(
    rf"\s*(?:score\s*[<>]=?\s*(?P<bar>{_NUMBER})"
    rf"|(?P<until>{'|'.join(_UNTIL)})(?:\s+within\s+(?P<points>{_NUMBER})(?:\s+points?)?)?)"
    rf"\s*(?:,\s*alpha\s+(?P<alpha>{_NUMBER})\s*)?"
)


def until_of(text: str) -> Until:
    if text not in _UNTIL:
        raise InvalidValueError(f"until must be {', '.join(_UNTIL)}, not {text[:100]!r}")
    return _UNTIL[text]


@dataclass(frozen=True, slots=True)
class StopRule:
    """Compares the models of a run with each other or, where there is a bar, each of them with it.

    `alpha` bounds the chance that anything claimed of the run is wrong.
    """

    # A smaller difference does not matter; 0.01 is one point.
    margin: float = DEFAULT_MARGIN
    alpha: float = DEFAULT_ALPHA
    until: Until = "decided"
    bar: float | None = None

    def __post_init__(self) -> None:
        _ = self.equivalence
        if self.bar is None:
            return
        if not 0 < self.bar < 1:
            raise InvalidValueError(f"a score is held against a bar between 0 and 1, not {self.bar:g}")
        if (self.margin, self.until) != (DEFAULT_MARGIN, "decided"):
            raise InvalidValueError(
                "margin and until belong to a comparison of models: leave them out where there is a bar"
            )

    @classmethod
    def parse(cls, text: str) -> Self:
        """From a condition such as `score > 0.8`, which ends the run when it holds and when it fails."""
        found = _CONDITION.fullmatch(text)
        if found is None:
            raise InvalidValueError(
                "a run stops at a bar, as in 'score > 0.8', or once its models are compared, as in 'decided',"
                f" 'better' or 'equivalent within 2 points'; {text[:100]!r} is no such condition"
            )
        alpha = float(found["alpha"] or DEFAULT_ALPHA)
        if found["bar"] is not None:
            return cls(alpha=alpha, bar=float(found["bar"]))
        margin = DEFAULT_MARGIN if found["points"] is None else float(found["points"]) / 100
        return cls(margin, alpha, until_of(found["until"]))

    @property
    def equivalence(self) -> EquivalenceRule:
        return EquivalenceRule(margin=self.margin, alpha=self.alpha)

    @property
    def label(self) -> str:
        """As it stands in a fingerprint."""
        if self.bar is not None:
            return f"score against {self.bar:g}, alpha {self.alpha:g}"
        return f"until {self.until}, margin {self.margin:g}, alpha {self.alpha:g}"

    def comparisons(self, models: int, benchmarks: int) -> int:
        """How many claims share alpha."""
        return benchmarks * (models if self.bar is not None else models * (models - 1) // 2)

    def require_models(self, models: int) -> None:
        if models > MAX_RACERS:
            raise InvalidValueError(
                f"{models} models are too many to be compared until it is decided: give up to {MAX_RACERS}"
            )
        if self.bar is None and models < 2:  # noqa: PLR2004  nothing to compare
            raise InvalidValueError(
                "a comparison that stops when it is decided needs two models;"
                " for one model give a bar, as in 'score > 0.8'"
            )


@dataclass(frozen=True, slots=True)
class Settled:
    """What is known of one model beside another, or beside a bar; `after` so many items of the order."""

    against: str
    verdict: str
    after: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why an evaluation ended early: its first `after` items, in the order asked, settled everything.

    `items` would have been asked; `population` are those of the benchmark, of which it says something.
    """

    after: int
    items: int
    population: int
    settled: tuple[Settled, ...]

    @property
    def sentence(self) -> str:
        found = ", ".join(
            f"{one.verdict} {_JOINED.get(one.verdict, 'than')} {one.against}" for one in self.settled
        )
        return f"stopped: decided after {self.after:,} of {self.items:,} items ({found})"


_JOINED = {"equivalent": "to", "above": "the", "below": "the"}
