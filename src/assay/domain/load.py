"""Load tests: what was asked for, and what was measured at each level of load."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Literal, NewType

from assay.domain.calls.pricing import Price
from assay.domain.errors import InvalidValueError
from assay.domain.run import Budget, Subset
from assay.domain.summary import Percentiles

LoadTestId = NewType("LoadTestId", str)
Loop = Literal["closed", "open"]
Spacing = Literal["poisson", "constant"]
Ending = Literal["finished", "max-requests", "max-duration", "budget", "interrupted"]
NOT_SENT = "not-sent"
"""The error class of requests that the generator held back because too many were unanswered."""
DEFAULT_TIMEOUT_S = 120.0
_MOST_WARM_UP = 1_000


@dataclass(frozen=True, slots=True)
class Stage:
    """A load that is held, or that changes evenly from `first` to `last`.

    In a closed loop it is a number of clients, in an open loop a number of requests per second.
    """

    first: float
    last: float

    @property
    def is_ramp(self) -> bool:
        return self.first != self.last

    def at(self, share: float) -> float:
        """The load when this share of the stage is over."""
        return self.first + (self.last - self.first) * share


def _are_times(*values: float) -> bool:
    return all(0 < value < math.inf for value in values)


@dataclass(frozen=True, slots=True)
class LoadLimits:
    """What ends a load test early; `timeout_s` ends a single request."""

    requests: int = 10_000
    duration_s: float = 3_600.0
    budget: Budget = Budget()
    timeout_s: float = DEFAULT_TIMEOUT_S
    in_flight: int = 900

    def __post_init__(self) -> None:
        if min(self.requests, self.in_flight) < 1 or not _are_times(self.duration_s, self.timeout_s):
            raise InvalidValueError("the limits of a load test must be more than 0")


@dataclass(frozen=True, slots=True)
class LoadSpec:
    """What was asked for; each stage takes `stage_s`, or ends with its last of `stage_requests`."""

    model: str
    loop: Loop
    stages: tuple[Stage, ...]
    stage_s: float = 30.0
    stage_requests: int | None = None
    spacing: Spacing = "poisson"
    seed: str = Subset().seed
    # Distributions, or the benchmark or data set that the prompts are from.
    prompt_tokens: str = "256"
    output_tokens: str | None = "128"
    prompts: str | None = None
    ignore_eos: bool = False
    warm_up: int = 4
    goodput: str | None = None
    stall_ms: float = 1_000.0
    limits: LoadLimits = LoadLimits()
    price: Price | None = None
    name: str = ""

    def __post_init__(self) -> None:
        has_requests = self.stage_requests is None or self.stage_requests >= 1
        if not (has_requests and _are_times(self.stage_s, self.stall_ms)):
            raise InvalidValueError("a load test's durations and numbers of requests must be more than 0")
        if not 1 <= self.warm_up <= _MOST_WARM_UP:
            raise InvalidValueError(
                f"warm-up must be 1 to {_MOST_WARM_UP} requests, not {self.warm_up}: the first tells"
                " what the endpoint supports"
            )
        if self.loop == "closed" and self.most_load > self.limits.in_flight:
            raise InvalidValueError(
                f"{self.most_load:g} clients are more than the {self.limits.in_flight} requests that may be"
                " under way: allow more"
            )

    @property
    def most_load(self) -> float:
        return max(max(stage.first, stage.last) for stage in self.stages)


@dataclass(frozen=True, slots=True)
class GeneratorLag:
    """How late the generator itself was; `send_ms` includes making a connection, which is not its doing."""

    start_ms: Percentiles
    send_ms: Percentiles
    loop_ms: Percentiles


@dataclass(frozen=True, slots=True)
class LevelResult:
    """What was measured at one load; a ramp gives one for each of its slices.

    `due` counts every request that the load asked for, whatever became of it. Latencies are by measure; in an
    open loop they count from the moment a request was due, those that end in `_sent_ms` from its sending.
    """

    load: float
    is_slice: bool
    window_s: float
    due: int
    answered: int
    errors: Mapping[str, int]
    requests_per_s: float
    latency: Mapping[str, Percentiles]
    lag: GeneratorLag
    most_in_flight: int
    stalled: int
    # None where the endpoint did not report the tokens of every reply.
    output_tokens_per_s: float | None = None
    mean_input_tokens: float | None = None
    mean_output_tokens: float | None = None
    # None where no limits were named.
    good: int | None = None
    good_per_s: float | None = None
    # Why the generator may have distorted these figures; empty if nothing says so.
    distortions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LoadTest:
    """A load test that has ended; `requests` and `tokens` include the warm-up."""

    id: LoadTestId
    spec: LoadSpec
    endpoint: str
    created_at: datetime
    duration_s: float
    levels: tuple[LevelResult, ...]
    ending: Ending
    requests: int
    tokens: int | None
    cost_usd: Decimal | None
    code_version: str = ""
    # What the figures cannot show.
    notes: tuple[str, ...] = field(default_factory=tuple[str, ...])
