"""How fast an evaluation goes, from what is stored of it."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from assay.domain.messages import Json
from assay.domain.run import Evaluation, EvaluationId
from assay.engine.ports import Clock
from assay.engine.stores import Stores

# Tokens are summed no more often than this: it takes a look at every attempt.
_READ_EVERY_S = 2.0
# Rates are those of so long a time, so that they follow changes without trembling.
_WINDOW_S = 20.0


@dataclass(frozen=True, slots=True)
class _Reading:
    at_s: float
    completed: int
    output_tokens: int


class PaceReader:
    """Of evaluations that this process works on; the figures count what all workers have done."""

    def __init__(self, stores: Stores, clock: Clock) -> None:
        self._stores = stores
        self._clock = clock
        self._readings: dict[EvaluationId, deque[_Reading]] = {}

    async def figures(self, evaluation: Evaluation, completed: int) -> Mapping[str, Json]:
        """Real tokens per second beside requests per second, and the seconds left; null until known."""
        readings = self._readings.setdefault(evaluation.id, deque())
        now_s = self._clock.monotonic()
        if not readings or now_s - readings[-1].at_s >= _READ_EVERY_S:
            used = (await self._stores.attempts.tokens_used([evaluation.run_id])).get(evaluation.id)
            readings.append(_Reading(now_s, completed, used.output if used else 0))
            while now_s - readings[0].at_s > _WINDOW_S and len(readings) > 2:  # noqa: PLR2004
                readings.popleft()
        first, last = readings[0], readings[-1]
        passed_s = last.at_s - first.at_s
        requests_per_s = (last.completed - first.completed) / passed_s if passed_s > 0 else None
        left = evaluation.total_attempts - completed
        return {
            "output_tokens": last.output_tokens,
            "requests_per_s": requests_per_s,
            "tokens_per_s": (last.output_tokens - first.output_tokens) / passed_s if passed_s > 0 else None,
            "eta_seconds": round(left / requests_per_s) if requests_per_s else None,
        }

    def forget(self, evaluation_id: EvaluationId) -> None:
        self._readings.pop(evaluation_id, None)
