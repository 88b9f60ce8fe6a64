"""What one attempt is worth in the parts of the composite, from 0 to 1."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from assay.domain.attempt import Attempt
from assay.domain.calls.timing import StreamTiming
from assay.domain.composite import PartScore, no_data

# A reply of fewer tokens may come in one piece from any server: it has neither a rate nor continuity.
FEWEST_STREAMED_TOKENS = 32

_TARGET_TOKENS, _TARGET_USD, _TARGET_SANDBOX_S = 1_000.0, 0.01, 30.0
_TARGET_TTFT_MS, _TARGET_TOKENS_PER_S = 2_000.0, 10.0


def _between(value: float, worst: float, best: float) -> float:
    """0 at `worst`, 1 at `best`, linear between."""
    return min(1.0, max(0.0, (value - worst) / (best - worst)))


def janus_ttft(ttft_ms: float) -> float:
    return _between(ttft_ms, 5_000.0, 500.0)


def janus_rate(tokens_per_s: float) -> float:
    return _between(tokens_per_s, 5.0, 30.0)


def within_target(value: float, target: float) -> float:
    """1 up to the target, falling to one half at twice the target, then by 0.1 per target down to 0."""
    if value <= target:
        return 1.0
    over = value / target
    return 1.5 - over / 2 if over <= 2 else max(0.0, 0.5 - 0.1 * (over - 2))  # noqa: PLR2004


def generic_ttft(ttft_ms: float) -> float:
    return within_target(ttft_ms, _TARGET_TTFT_MS)


def generic_rate(tokens_per_s: float) -> float:
    return min(1.0, max(0.0, tokens_per_s / _TARGET_TOKENS_PER_S))


@dataclass(frozen=True, slots=True)
class SpeedScale:
    """How a time to first token and a rate become values."""

    ttft: Callable[[float], float]
    rate: Callable[[float], float]


JANUS_SCALE = SpeedScale(janus_ttft, janus_rate)
GENERIC_SCALE = SpeedScale(generic_ttft, generic_rate)


@dataclass(slots=True)
class Mean:
    """The mean of what is known; what does not apply counts neither as known nor as missing."""

    total: float = 0.0
    known: int = 0
    not_applicable: int = 0

    def add(self, value: float | None) -> None:
        if value is not None:
            self.total += value
            self.known += 1

    def score(self, attempts: int, *, without: str = "") -> PartScore:
        """Over this many attempts, of which those that were not added are missing.

        `without` is the note where none is known.
        """
        counted = attempts - self.not_applicable
        if counted <= 0:
            return no_data(without)
        value = self.total / self.known if self.known else None
        missing = counted - self.known
        return PartScore(
            value,
            self.total / counted,
            (self.total + missing) / counted,
            self.known,
            counted,
            "" if self.known else without,
        )


def pooled(means: Iterable[Mean]) -> Mean:
    """The mean over all attempts of several evaluations."""
    found = Mean()
    for one in means:
        found.total += one.total
        found.known += one.known
        found.not_applicable += one.not_applicable
    return found


@dataclass(slots=True)
class PartTally:
    """Adds up the attempts of one evaluation.

    A reply that is empty or came in fewer than three moments was not streamed, and earns 0 for rate and
    continuity, unless it is short or took several calls. Attempts without an answer, and what an endpoint
    did not report, are missing.
    """

    scale: SpeedScale
    ttft: Mean = field(default_factory=Mean)
    rate: Mean = field(default_factory=Mean)
    continuity: Mean = field(default_factory=Mean)
    cost: Mean = field(default_factory=Mean)
    cost_measures: set[str] = field(default_factory=set[str])
    answered: int = 0

    def add(self, attempt: Attempt) -> None:
        if not attempt.outcome.is_final:
            return
        self.answered += 1
        if attempt.timing is not None:
            self._add_timing(attempt.timing, attempt)
        costs = _costs(attempt)
        self.cost_measures.update(costs)
        self.cost.add(_weighted(costs))

    def _add_timing(self, timing: StreamTiming, attempt: Attempt) -> None:
        self.ttft.add(0.0 if timing.ttft_ms is None else self.scale.ttft(timing.ttft_ms))
        tokens, rate = attempt.usage.output_tokens, timing.tokens_per_s
        if timing.continuity is not None:
            self.continuity.add(min(1.0, max(0.0, timing.continuity)))
            if rate is not None:
                self.rate.add(self.scale.rate(rate))
            elif attempt.tries > 1:
                self.rate.not_applicable += 1
        elif attempt.tries > 1 or (tokens is not None and 0 < tokens < FEWEST_STREAMED_TOKENS):
            self.continuity.not_applicable += 1
            self.rate.not_applicable += 1
        else:
            self.continuity.add(0.0)
            self.rate.add(0.0)


_COST_WEIGHTS = {"tokens": 0.5, "USD": 0.3, "sandbox seconds": 0.2}


def _costs(attempt: Attempt) -> Mapping[str, float]:
    """What is known of the cost, each on its own scale; empty if the tokens are not."""
    usage = attempt.usage
    if usage.input_tokens is None or usage.output_tokens is None:
        return {}
    found = {"tokens": within_target(usage.input_tokens + usage.output_tokens, _TARGET_TOKENS)}
    if attempt.cost_usd is not None:
        found["USD"] = within_target(float(attempt.cost_usd), _TARGET_USD)
    if usage.sandbox_s is not None:
        found["sandbox seconds"] = within_target(usage.sandbox_s, _TARGET_SANDBOX_S)
    return found


def _weighted(costs: Mapping[str, float]) -> float | None:
    if not costs:
        return None
    weights = math.fsum(_COST_WEIGHTS[name] for name in costs)
    return math.fsum(_COST_WEIGHTS[name] * value for name, value in costs.items()) / weights
