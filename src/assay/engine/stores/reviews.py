"""The store of labels and of later gradings."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from assay.domain.review import Annotation, Regrade, RegradedAttempt, RegradeId
from assay.domain.run import EvaluationId
from assay.domain.summary import Summary, Tokens


class ReviewStore(Protocol):
    """Each method is one transaction."""

    async def add_annotation(self, annotation: Annotation) -> Annotation:
        """Store a label and give it an id; raises UnknownNameError where there is no such attempt."""
        ...

    async def annotations(self, evaluation_id: EvaluationId) -> tuple[Annotation, ...]:
        """Oldest first."""
        ...

    async def remove_annotation(self, evaluation_id: EvaluationId, annotation_id: int) -> None:
        """Raises UnknownNameError where the evaluation has no such label."""
        ...

    async def add_regrade(self, regrade: Regrade) -> None: ...

    async def regrades(self, evaluation_id: EvaluationId) -> tuple[Regrade, ...]:
        """Oldest first."""
        ...

    async def add_regraded(self, regrade_id: RegradeId, regraded: Sequence[RegradedAttempt]) -> None:
        """Attempts that the regrade has already stay as they are."""
        ...

    def regraded(self, regrade_id: RegradeId) -> AsyncIterator[RegradedAttempt]:
        """In key order, at constant memory."""
        ...

    async def finish_regrade(self, regrade_id: RegradeId, summary: Summary) -> None: ...

    async def judge_tokens(self, evaluation_id: EvaluationId) -> Tokens:
        """What the judges of an evaluation's run used: sums over its stored calls to judges."""
        ...
