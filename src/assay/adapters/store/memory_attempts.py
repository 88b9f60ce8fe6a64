"""Attempts in plain Python."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from assay.adapters.store.matching import in_order, is_wanted_attempt
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.errors import UnknownNameError
from assay.domain.run import EvaluationId
from assay.engine.stores.attempts import AttemptFilter


class MemoryAttempts:
    """What is read of them; they are added beside their runs."""

    def __init__(self) -> None:
        self._attempts: dict[EvaluationId, dict[AttemptKey, Attempt]] = {}

    async def stored_keys(
        self, evaluation_id: EvaluationId, *, verdicts_only: bool = False
    ) -> set[AttemptKey]:
        return {
            key
            for key, attempt in self._attempts.get(evaluation_id, {}).items()
            if attempt.outcome.is_final or not verdicts_only
        }

    async def results(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        for attempt in in_order(self._made(evaluation_id), "item"):
            yield replace(attempt, prompt="", answer="", reasoning="", test_code=None, calls=())

    async def list_attempts(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> tuple[Attempt, ...]:
        found = [
            replace(attempt, calls=())
            for attempt in in_order(self._made(evaluation_id), wanted.sort)
            if (wanted.after is None or attempt.key > wanted.after) and is_wanted_attempt(attempt, wanted)
        ]
        return tuple(found[wanted.offset : wanted.offset + wanted.limit])

    async def answers(self, evaluation_id: EvaluationId) -> AsyncIterator[tuple[AttemptKey, str]]:
        for attempt in in_order(self._made(evaluation_id), "item"):
            if attempt.outcome.is_final:
                yield attempt.key, attempt.answer

    async def whole_attempts(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        for attempt in in_order(self._made(evaluation_id), "item"):
            yield attempt

    async def count_attempts(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> int:
        return sum(is_wanted_attempt(attempt, wanted) for attempt in self._made(evaluation_id))

    async def attempt(self, evaluation_id: EvaluationId, key: AttemptKey) -> Attempt:
        found = self._attempts.get(evaluation_id, {}).get(key)
        if found is None:
            name = f"{evaluation_id}/{key.item_id}/{key.sample}"
            raise UnknownNameError("attempt", name, remedy="it has not been made, or the id is wrong")
        return found

    def _made(self, evaluation_id: EvaluationId) -> tuple[Attempt, ...]:
        return tuple(self._attempts.get(evaluation_id, {}).values())

    async def stored_among(
        self, evaluation_id: EvaluationId, keys: Sequence[AttemptKey], *, verdicts_only: bool = False
    ) -> set[AttemptKey]:
        return set(keys) & await self.stored_keys(evaluation_id, verdicts_only=verdicts_only)

    async def missing(self, evaluation_id: EvaluationId) -> frozenset[AttemptKey]:
        made = self._made(evaluation_id)
        return frozenset(attempt.key for attempt in made if not attempt.outcome.is_final)
