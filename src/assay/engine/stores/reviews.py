"""The store of labels and of later gradings."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from assay.domain.review import Annotation, JudgedAttempt, Judgement, JudgementId
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

    async def add_judgement(self, judgement: Judgement) -> None: ...

    async def judgements(self, evaluation_id: EvaluationId) -> tuple[Judgement, ...]:
        """Oldest first."""
        ...

    async def add_judged(self, judgement_id: JudgementId, judged: Sequence[JudgedAttempt]) -> None:
        """Attempts that the judgement has already stay as they are."""
        ...

    def judged(self, judgement_id: JudgementId) -> AsyncIterator[JudgedAttempt]:
        """In key order, at constant memory."""
        ...

    async def finish_judgement(self, judgement_id: JudgementId, summary: Summary) -> None: ...

    async def judge_tokens(self, evaluation_id: EvaluationId) -> Tokens:
        """What the judges of an evaluation's run used: sums over its stored calls to judges."""
        ...
