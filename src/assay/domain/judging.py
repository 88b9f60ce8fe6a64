"""Which models grade the answers of a run, and how often each is asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.domain.calls.messages import Generation
from assay.domain.calls.pricing import Price
from assay.domain.errors import InvalidValueError

MAX_JUDGES = 9
MAX_VOTES = 25
DEFAULT_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Judging:
    """Several models form a panel; each is asked `votes` times. More than half of the votes must agree.

    `generation` overrides the benchmark's settings for its judge; `timeout_s` limits one call. `prices` are
    those of when the run was created.
    """

    models: tuple[str, ...]
    votes: int = 1
    generation: Generation = Generation()
    base_url: str | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    prices: Mapping[str, Price] = field(default_factory=dict[str, Price])

    def __post_init__(self) -> None:
        if not 1 <= len(self.models) <= MAX_JUDGES:
            raise InvalidValueError(f"a panel has 1 to {MAX_JUDGES} judges, not {len(self.models)}")
        if len(set(self.models)) < len(self.models):
            raise InvalidValueError("a judge is named twice; to ask it several times give it several votes")
        if not 1 <= self.votes <= MAX_VOTES:
            raise InvalidValueError(f"a judge has 1 to {MAX_VOTES} votes, not {self.votes}")
        if not 0 < self.timeout_s < float("inf"):
            raise InvalidValueError(f"a judge's timeout must be above 0 seconds, not {self.timeout_s:g}")

    @property
    def label(self) -> str:
        """Everything that may change a verdict, as text; the order of a panel does not matter."""
        parts = [", ".join(sorted(self.models))]
        if self.votes > 1:
            parts.append(f"{self.votes} votes each" if len(self.models) > 1 else f"{self.votes} votes")
        settings = ("temperature", "top_p", "max_tokens", "reasoning_effort", "seed")
        for name in settings:
            value: object = getattr(self.generation, name)
            if value is not None:
                parts.append(f"{name} {value}")
        return "; ".join(parts)
