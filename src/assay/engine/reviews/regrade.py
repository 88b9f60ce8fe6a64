"""Grades the stored answers of an evaluation once more; no model is asked, and both gradings are kept."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from uuid import uuid4

from assay.domain.attempt import Attempt
from assay.domain.benchmark import Item, Need, Services
from assay.domain.errors import AttemptError, ConflictError, DataChangedError, InvalidValueError
from assay.domain.judging import Judging
from assay.domain.outcome import Outcome
from assay.domain.review import JudgedAttempt, Judgement, JudgementId
from assay.domain.run import Evaluation, Run
from assay.domain.summary import Summary
from assay.engine.execution.runs import DEFAULT_CONNECTIONS, Engine, planned_benchmarks
from assay.engine.exports.reading import completion_of
from assay.engine.grading.grade import DirectGrader, Grader, verdict
from assay.engine.grading.offload import PooledGrader
from assay.engine.judging.judges import (
    JudgeBench,
    Ledger,
    judge_tokens,
    opened_bench,
    own_limiters,
    with_prices,
)
from assay.engine.models.retry import outcome_of
from assay.engine.planning.plan import PlannedBenchmark
from assay.engine.results.summarise import summarise

# What the answers were given to must be what is graded now; all else may have changed since.
_SAME = ("data_checksum", "items_checksum")
# Of these the answer is stored and only the grading failed; the others have no answer.
_UNGRADED = frozenset({Outcome.GRADER_ERROR, Outcome.SANDBOX_ERROR})
_BATCH = 32

Observer = Callable[[int], None]
"""Called with the number of attempts that were graded since the last call."""


async def regrade(
    engine: Engine,
    run: Run,
    evaluation: Evaluation,
    *,
    judging: Judging | None = None,
    observe: Observer = lambda _count: None,
) -> Judgement:
    """By the judges given, else by those of the run; one that was broken off before is gone on with."""
    if not run.state.is_settled:
        raise ConflictError(f"run {run.id[:8]!r} is {run.state.value}: grade it again when it has ended")
    planned = await _planned(engine, run, evaluation, judging or run.spec.judge)
    if Need.JUDGE in planned.benchmark.card.needs:
        judging = judging or run.spec.judge
    elif judging is not None:
        raise InvalidValueError(f"{evaluation.benchmark!r} is not graded by a judge: leave the judge out")
    judgement = await _opened_judgement(engine, evaluation, planned, judging)
    async with _opened_grader(engine, planned, judging) as grader:
        await _judge_all(engine, judgement, _Grading(planned, grader), observe)
    summary = await _summary(engine, evaluation, judgement, planned)
    await engine.stores.reviews.finish_judgement(judgement.id, summary)
    return replace(judgement, summary=summary)


async def _planned(
    engine: Engine, run: Run, evaluation: Evaluation, judging: Judging | None
) -> PlannedBenchmark:
    spec = replace(run.spec, benchmarks=(evaluation.benchmark,), judge=judging)
    [planned] = await planned_benchmarks(engine, spec)
    changed = [
        name for name in _SAME if getattr(planned.fingerprint, name) != getattr(evaluation.fingerprint, name)
    ]
    if changed:
        raise DataChangedError(
            f"the data of {evaluation.benchmark!r} is no longer what this run was asked"
            f" ({', '.join(changed)} differ): its answers cannot be graded again"
        )
    return planned


async def _opened_judgement(
    engine: Engine, evaluation: Evaluation, planned: PlannedBenchmark, judging: Judging | None
) -> Judgement:
    grader, judge = planned.benchmark.card.grader, judging.label if judging else None
    for one in await engine.stores.reviews.judgements(evaluation.id):
        if one.summary is None and (one.grader, one.judge) == (grader, judge):
            return one
    judgement = Judgement(
        JudgementId(str(uuid4())), evaluation.id, grader, judge, created_at=engine.clock.now()
    )
    await engine.stores.reviews.add_judgement(judgement)
    return judgement


@asynccontextmanager
async def _opened_grader(
    engine: Engine, planned: PlannedBenchmark, judging: Judging | None
) -> AsyncGenerator[Grader]:
    card = planned.benchmark.card
    if card.grading == "heavy":
        yield PooledGrader(planned.benchmark, engine.pool)
        return
    sandbox = engine.sandbox if Need.SANDBOX in card.needs else None
    bench = await _opened_bench(engine, judging) if judging else None
    try:
        if bench is not None:
            await bench.check()
        services = Services(sandbox=sandbox, prepared=engine.prepared)
        yield DirectGrader(planned.benchmark, services, judges=bench)
    finally:
        if bench is not None:
            await bench.close()


async def _opened_bench(engine: Engine, judging: Judging) -> JudgeBench:
    return opened_bench(
        await with_prices(judging, engine.models, engine.stores.registry),
        engine.models,
        clock=engine.clock,
        limiter_of=own_limiters(engine.clock, maximum=DEFAULT_CONNECTIONS, quotas=engine.quotas),
        policy=engine.policy,
    )


@dataclass(frozen=True, slots=True)
class _Grading:
    planned: PlannedBenchmark
    grader: Grader

    def item(self, attempt: Attempt) -> Item:
        item = self.planned.by_id.get(attempt.item_id)
        if item is None:
            raise InvalidValueError(f"the data has no item {attempt.item_id!r}")
        return item


async def _judge_all(engine: Engine, judgement: Judgement, grading: _Grading, observe: Observer) -> None:
    """In batches, each stored as it is done: what was judged is not paid for twice."""
    done = {one.key async for one in engine.stores.reviews.judged(judgement.id)}
    batch: list[Attempt] = []
    async for attempt in engine.stores.attempts.whole_attempts(judgement.evaluation_id):
        if attempt.key in done:
            continue
        batch.append(attempt)
        if len(batch) == _BATCH:
            await _judge_batch(engine, judgement, grading, batch)
            observe(len(batch))
            batch = []
    await _judge_batch(engine, judgement, grading, batch)
    observe(len(batch))


async def _judge_batch(engine: Engine, judgement: Judgement, grading: _Grading, batch: list[Attempt]) -> None:
    judged = await asyncio.gather(*(_judged(grading, attempt) for attempt in batch))
    await engine.stores.reviews.add_judged(judgement.id, judged)


async def _judged(grading: _Grading, attempt: Attempt) -> JudgedAttempt:
    if not (attempt.outcome.is_verdict or attempt.outcome in _UNGRADED):
        return _unchanged(attempt)
    ledger = Ledger()
    try:
        grade = await verdict(grading.grader, grading.item(attempt), completion_of(attempt), ledger=ledger)
    except AttemptError as error:
        return JudgedAttempt(
            attempt.item_id,
            attempt.sample,
            outcome_of(error),
            None,
            error_code=error.code,
            error_message=error.message,
            cost_usd=ledger.usd,
            calls=tuple(ledger.calls),
        )
    return JudgedAttempt(
        attempt.item_id,
        attempt.sample,
        grade.outcome,
        grade.score if grade.outcome.is_verdict else None,
        extracted=grade.extracted,
        explanation=grade.explanation,
        details=grade.details,
        cost_usd=ledger.usd,
        calls=tuple(ledger.calls),
    )


def _unchanged(attempt: Attempt) -> JudgedAttempt:
    return JudgedAttempt(
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


async def _summary(
    engine: Engine, evaluation: Evaluation, judgement: Judgement, planned: PlannedBenchmark
) -> Summary:
    pairs = both_gradings(engine, judgement)
    summary = await summarise(
        (as_judged(attempt, judged) async for attempt, judged in pairs),
        benchmark=planned.benchmark,
        items=planned.items,
        samples=evaluation.samples,
    )
    if judgement.judge is None:
        return replace(summary, judge_cost_usd=None)
    calls = [call async for one in engine.stores.reviews.judged(judgement.id) for call in one.calls]
    return replace(summary, judge_tokens=judge_tokens(calls))


def as_judged(attempt: Attempt, judged: JudgedAttempt) -> Attempt:
    """The attempt as it ends by the later judgement."""
    return replace(
        attempt,
        outcome=judged.outcome,
        score=judged.score,
        extracted=judged.extracted,
        explanation=judged.explanation,
        details=judged.details,
        error_code=judged.error_code,
        error_message=judged.error_message,
        judge_cost_usd=judged.cost_usd,
    )


async def both_gradings(engine: Engine, judgement: Judgement) -> AsyncIterator[tuple[Attempt, JudgedAttempt]]:
    """Each attempt without its texts, beside how it ends by the judgement.

    Both come in the order of the store, and what is judged is part of what is stored.
    """
    later = engine.stores.reviews.judged(judgement.id)
    judged = await anext(later, None)
    async for attempt in engine.stores.attempts.results(judgement.evaluation_id):
        if judged is not None and judged.key == attempt.key:
            yield attempt, judged
            judged = await anext(later, None)
