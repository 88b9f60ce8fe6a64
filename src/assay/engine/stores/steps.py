"""The store of replies within attempts under way."""

from typing import Protocol

from assay.domain.attempt import AttemptKey
from assay.domain.run import EvaluationId
from assay.domain.step import Step


class StepStore(Protocol):
    async def add(self, evaluation_id: EvaluationId, key: AttemptKey, number: int, step: Step) -> None:
        """Store a step; one that is stored under the same number is replaced."""
        ...

    async def steps_of(self, evaluation_id: EvaluationId, key: AttemptKey) -> tuple[Step, ...]:
        """The steps of one attempt, in order."""
        ...

    async def remove(self, evaluation_id: EvaluationId) -> None:
        """Remove the steps of all attempts of an evaluation."""
        ...

    async def remove_from(self, evaluation_id: EvaluationId, key: AttemptKey, number: int) -> None:
        """Remove the steps of one attempt from a number on."""
        ...
