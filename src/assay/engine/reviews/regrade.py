"""Regrades the stored answers of an evaluation; no model is asked again, and both gradings are kept."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from uuid import uuid4

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Item, Need
from assay.domain.errors import AttemptError, ConflictError, DataChangedError, InvalidValueError
from assay.domain.judging import Judging
from assay.domain.outcome import Outcome
from assay.domain.review import Regrade, RegradedAttempt, RegradeId
from assay.domain.run import Evaluation, Run
from assay.domain.summary import Summary
from assay.engine.exports.reading import completion_of
from assay.engine.grading.grade import Grader, verdict
from assay.engine.grading.resources import GradingResources
from assay.engine.judging.judges import JudgeCalls, JudgeDirectory, judge_tokens
from assay.engine.models.retry import outcome_of
from assay.engine.planner import Planner
from assay.engine.planning.plan import PlannedBenchmark
from assay.engine.ports import Clock
from assay.engine.results.asked_first import known_first
from assay.engine.results.summarise import summarise
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.reviews import ReviewStore

# The data that was asked must be the data that is regraded; all else may have changed since.
_SAME = ("data_checksum", "items_checksum")
# The answer of these is stored and only the grading failed; other outcomes without a verdict have no answer.
_UNGRADED = frozenset({Outcome.GRADER_ERROR, Outcome.SANDBOX_ERROR})
_BATCH = 32

Observer = Callable[[int], None]
"""Called with the number of attempts that were regraded since the last call."""


@dataclass(frozen=True, slots=True)
class Regrader:
    planner: Planner
    grading: GradingResources
    judges: JudgeDirectory
    attempts: AttemptStore
    reviews: ReviewStore
    clock: Clock

    async def regrade(
        self,
        run: Run,
        evaluation: Evaluation,
        *,
        judging: Judging | None = None,
        observe: Observer = lambda _count: None,
    ) -> Regrade:
        """Regrade by the given judges, else by those of the run; an interrupted regrade is continued."""
        if not run.state.is_settled:
            raise ConflictError(f"run {run.id[:8]!r} is {run.state.value}: grade it again when it has ended")
        planned = await self._planned(run, evaluation, judging or run.spec.judge)
        if Need.JUDGE in planned.benchmark.card.needs:
            judging = judging or run.spec.judge
        elif judging is not None:
            raise InvalidValueError(f"{evaluation.benchmark!r} is not graded by a judge: leave the judge out")
        regrade = await self._started(evaluation, planned, judging)
        async with self._opened_grader(planned, judging) as grader:
            await self._regrade_all(regrade, _Grading(planned, grader), observe)
        summary = await self._summary(run, evaluation, regrade, planned)
        await self.reviews.finish_regrade(regrade.id, summary)
        return replace(regrade, summary=summary)

    async def _planned(self, run: Run, evaluation: Evaluation, judging: Judging | None) -> PlannedBenchmark:
        spec = replace(run.spec, benchmarks=(evaluation.benchmark,), judge=judging)
        [planned] = await self.planner.plan(spec)
        now, before = planned.fingerprint, evaluation.fingerprint
        changed = [name for name in _SAME if getattr(now, name) != getattr(before, name)]
        if changed:
            raise DataChangedError(
                f"the data of {evaluation.benchmark!r} is no longer what this run was asked"
                f" ({', '.join(changed)} differ): its answers cannot be graded again"
            )
        return planned

    async def _started(
        self, evaluation: Evaluation, planned: PlannedBenchmark, judging: Judging | None
    ) -> Regrade:
        """An unfinished regrade by the same grader and judges, else a new one."""
        grader, judge = planned.benchmark.card.grader, judging.label if judging else None
        for one in await self.reviews.regrades(evaluation.id):
            if one.summary is None and (one.grader, one.judge) == (grader, judge):
                return one
        regrade = Regrade(RegradeId(str(uuid4())), evaluation.id, grader, judge, created_at=self.clock.now())
        await self.reviews.add_regrade(regrade)
        return regrade

    @asynccontextmanager
    async def _opened_grader(
        self, planned: PlannedBenchmark, judging: Judging | None
    ) -> AsyncGenerator[Grader]:
        judges = await self.judges.open(judging) if judging else None
        if judges is None:
            yield self.grading.grader(planned.benchmark)
            return
        try:
            await judges.check()
            yield self.grading.grader(planned.benchmark, judges=judges)
        finally:
            await judges.close()

    async def _regrade_all(self, regrade: Regrade, grading: "_Grading", observe: Observer) -> None:
        """In batches, each stored when it is done, so that no judge is paid twice for the same answer."""
        done = {one.key async for one in self.reviews.regraded(regrade.id)}
        batch: list[Attempt] = []
        async for attempt in self.attempts.whole(regrade.evaluation_id):
            if attempt.key in done:
                continue
            batch.append(attempt)
            if len(batch) == _BATCH:
                await self._regrade_batch(regrade, grading, batch)
                observe(len(batch))
                batch = []
        await self._regrade_batch(regrade, grading, batch)
        observe(len(batch))

    async def _regrade_batch(self, regrade: Regrade, grading: "_Grading", batch: list[Attempt]) -> None:
        regraded = await asyncio.gather(*(_regraded(grading, attempt) for attempt in batch))
        await self.reviews.add_regraded(regrade.id, regraded)

    async def _summary(
        self, run: Run, evaluation: Evaluation, regrade: Regrade, planned: PlannedBenchmark
    ) -> Summary:
        pairs = both_gradings(regrade, attempts=self.attempts, reviews=self.reviews)
        summary = await summarise(
            (as_regraded(attempt, regraded) async for attempt, regraded in pairs),
            benchmark=planned.benchmark,
            items=planned.items,
            samples=evaluation.samples,
            first=known_first(evaluation, run.spec, planned.item_ids),
        )
        if regrade.judge is None:
            return replace(summary, judge_cost_usd=None)
        calls = [call async for one in self.reviews.regraded(regrade.id) for call in one.calls]
        return replace(summary, judge_tokens=judge_tokens(calls))


@dataclass(frozen=True, slots=True)
class _Grading:
    planned: PlannedBenchmark
    grader: Grader

    def item(self, attempt: Attempt) -> Item:
        item = self.planned.by_id.get(attempt.item_id)
        if item is None:
            raise InvalidValueError(f"the data has no item {attempt.item_id!r}")
        return item


async def _regraded(grading: _Grading, attempt: Attempt) -> RegradedAttempt:
    if not (attempt.outcome.is_verdict or attempt.outcome in _UNGRADED):
        return _unchanged(attempt)
    judge_calls = JudgeCalls()
    try:
        item, completion = grading.item(attempt), completion_of(attempt)
        grade = await verdict(grading.grader, item, completion, judge_calls=judge_calls)
    except AttemptError as error:
        return RegradedAttempt(
            attempt.item_id,
            attempt.sample,
            outcome_of(error),
            None,
            error_code=error.code,
            error_message=error.message,
            cost_usd=judge_calls.cost_usd,
            calls=tuple(judge_calls.calls),
        )
    return RegradedAttempt(
        attempt.item_id,
        attempt.sample,
        grade.outcome,
        grade.score if grade.outcome.is_verdict else None,
        extracted=grade.extracted,
        explanation=grade.explanation,
        details=grade.details,
        cost_usd=judge_calls.cost_usd,
        calls=tuple(judge_calls.calls),
    )


def _unchanged(attempt: Attempt) -> RegradedAttempt:
    return RegradedAttempt(
        attempt.item_id,
        attempt.sample,
        attempt.outcome,
        attempt.score,
        extracted=attempt.extracted,
        explanation=attempt.explanation,
        details=attempt.details,
        error_code=attempt.error_code,
        error_message=attempt.error_message,
        cost_usd=Decimal(0),
    )


def as_regraded(attempt: Attempt, regraded: RegradedAttempt) -> Attempt:
    """The attempt with the verdict of the regrade."""
    return replace(
        attempt,
        outcome=regraded.outcome,
        score=regraded.score,
        extracted=regraded.extracted,
        explanation=regraded.explanation,
        details=regraded.details,
        error_code=regraded.error_code,
        error_message=regraded.error_message,
        judge_cost_usd=regraded.cost_usd,
    )


async def both_gradings(
    regrade: Regrade, *, attempts: AttemptStore, reviews: ReviewStore
) -> AsyncIterator[tuple[Attempt, RegradedAttempt]]:
    """Each attempt without its texts, and how it was regraded.

    Both come in the order of the store, and every regraded attempt is stored.
    """
    later = reviews.regraded(regrade.id)
    regraded = await anext(later, None)
    async for attempt in attempts.results(regrade.evaluation_id):
        if regraded is not None and regraded.key == attempt.key:
            yield attempt, regraded
            regraded = await anext(later, None)
