"""Labels and later gradings in plain Python."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.errors import ConflictError, StoreError, UnknownNameError
from assay.domain.review import Annotation, JudgedAttempt, Judgement, JudgementId
from assay.domain.run import EvaluationId
from assay.domain.summary import Summary, Tokens
from assay.engine.judging.judges import judge_tokens


class MemoryReviews:
    """A part of the store in memory, which holds the attempts; each method is one transaction."""

    _attempts: dict[EvaluationId, dict[AttemptKey, Attempt]]

    def __init__(self) -> None:
        self._annotations: dict[int, Annotation] = {}
        self._given_ids = 0
        self._judgements: dict[JudgementId, Judgement] = {}
        self._judged: dict[JudgementId, dict[AttemptKey, JudgedAttempt]] = {}

    async def add_annotation(self, annotation: Annotation) -> Annotation:
        if annotation.key not in self._attempts.get(annotation.evaluation_id, {}):
            name = f"{annotation.evaluation_id}/{annotation.item_id}/{annotation.sample}"
            raise UnknownNameError("attempt", name, remedy="it has not been made, or the id is wrong")
        self._given_ids += 1
        stored = self._annotations[self._given_ids] = replace(annotation, id=self._given_ids)
        return stored

    async def annotations(self, evaluation_id: EvaluationId) -> tuple[Annotation, ...]:
        return tuple(one for one in self._annotations.values() if one.evaluation_id == evaluation_id)

    async def remove_annotation(self, evaluation_id: EvaluationId, annotation_id: int) -> None:
        known = self._annotations.get(annotation_id)
        if known is None or known.evaluation_id != evaluation_id:
            raise UnknownNameError("label in this evaluation", str(annotation_id))
        del self._annotations[annotation_id]

    async def add_judgement(self, judgement: Judgement) -> None:
        if judgement.evaluation_id not in self._attempts:
            raise StoreError(f"no evaluation {judgement.evaluation_id!r} to judge; add its run first")
        if judgement.id in self._judgements:
            raise ConflictError(f"judgement {judgement.id!r} is stored already")
        self._judgements[judgement.id] = judgement
        self._judged[judgement.id] = {}

    async def judgements(self, evaluation_id: EvaluationId) -> tuple[Judgement, ...]:
        found = [one for one in self._judgements.values() if one.evaluation_id == evaluation_id]
        return tuple(sorted(found, key=lambda one: (one.created_at, one.id)))

    async def add_judged(self, judgement_id: JudgementId, judged: Sequence[JudgedAttempt]) -> None:
        self._must_be_known(judgement_id)
        for one in judged:
            self._judged[judgement_id].setdefault(one.key, one)

    async def judged(self, judgement_id: JudgementId) -> AsyncIterator[JudgedAttempt]:
        for _, one in sorted(self._judged.get(judgement_id, {}).items()):
            yield one

    async def finish_judgement(self, judgement_id: JudgementId, summary: Summary) -> None:
        self._must_be_known(judgement_id)
        self._judgements[judgement_id] = replace(self._judgements[judgement_id], summary=summary)

    async def judge_tokens(self, evaluation_id: EvaluationId) -> Tokens:
        made = self._attempts.get(evaluation_id, {}).values()
        return judge_tokens(call for attempt in made for call in attempt.calls)

    def _must_be_known(self, judgement_id: JudgementId) -> None:
        if judgement_id not in self._judgements:
            raise UnknownNameError("judgement", judgement_id)
