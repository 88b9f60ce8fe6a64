"""The part of the SQL store that keeps labels and later gradings."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from assay.adapters.store import annotation_queries, judgement_queries
from assay.adapters.store.engine import Database
from assay.domain.attempt import AttemptKey
from assay.domain.review import Annotation, JudgedAttempt, Judgement, JudgementId
from assay.domain.run import EvaluationId
from assay.domain.summary import Summary, Tokens

_JUDGED_PER_PAGE = 500


class SqlReviews:
    def __init__(self, database: Database) -> None:
        self.database = database

    async def add_annotation(self, annotation: Annotation) -> Annotation:
        number = await self.database.write(lambda connection: annotation_queries.add(connection, annotation))
        return replace(annotation, id=number)

    async def annotations(self, evaluation_id: EvaluationId) -> tuple[Annotation, ...]:
        return await self.database.read(
            lambda connection: annotation_queries.of_evaluation(connection, evaluation_id)
        )

    async def remove_annotation(self, evaluation_id: EvaluationId, annotation_id: int) -> None:
        await self.database.write(
            lambda connection: annotation_queries.remove(connection, evaluation_id, annotation_id)
        )

    async def add_judgement(self, judgement: Judgement) -> None:
        await self.database.write(lambda connection: judgement_queries.add(connection, judgement))

    async def judgements(self, evaluation_id: EvaluationId) -> tuple[Judgement, ...]:
        return await self.database.read(
            lambda connection: judgement_queries.of_evaluation(connection, evaluation_id)
        )

    async def add_judged(self, judgement_id: JudgementId, judged: Sequence[JudgedAttempt]) -> None:
        await self.database.write(
            lambda connection: judgement_queries.add_judged(connection, judgement_id, judged)
        )

    async def judged(self, judgement_id: JudgementId) -> AsyncIterator[JudgedAttempt]:
        """Page by page, each a short transaction."""
        after: AttemptKey | None = None
        while page := await self._judged_page(judgement_id, after):
            for judged in page:
                yield judged
            after = page[-1].key

    async def _judged_page(self, judgement_id: JudgementId, after: AttemptKey | None) -> list[JudgedAttempt]:
        return await self.database.read(
            lambda connection: judgement_queries.judged_page(
                connection, judgement_id, after=after, limit=_JUDGED_PER_PAGE
            )
        )

    async def finish_judgement(self, judgement_id: JudgementId, summary: Summary) -> None:
        await self.database.write(
            lambda connection: judgement_queries.finish(connection, judgement_id, summary)
        )

    async def judge_tokens(self, evaluation_id: EvaluationId) -> Tokens:
        return await self.database.read(
            lambda connection: judgement_queries.judge_tokens(connection, evaluation_id)
        )
