"""The one way an answer becomes a verdict, in a run and for answers made elsewhere."""

import contextlib
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from assay.domain.attempt import Attempt, Call
from assay.domain.benchmark import Benchmark, Grade, Item, Services
from assay.domain.errors import AssayError, AttemptError, GraderError, SandboxError
from assay.domain.messages import Completion
from assay.domain.outcome import Outcome
from assay.domain.record import record
from assay.domain.run import EvaluationId
from assay.domain.sandbox import Sandbox
from assay.engine.judging.judges import JudgeBench, Ledger
from assay.engine.models.retry import outcome_of
from assay.engine.sandbox.record import RecordingSandbox

_SANDBOX_TRIES = 3


class Grader(Protocol):
    """Where grading happens: here, or in another process."""

    async def grade(self, item: Item, completion: Completion, ledger: Ledger | None = None) -> Grade:
        """What judging takes is added to the ledger, also where it fails."""
        ...


class DirectGrader:
    def __init__(self, benchmark: Benchmark, services: Services, *, judges: JudgeBench | None = None) -> None:
        self._benchmark = benchmark
        self._services = services
        self._judges = judges

    async def grade(self, item: Item, completion: Completion, ledger: Ledger | None = None) -> Grade:
        services = self._services
        if self._judges is not None:
            services = replace(services, panel=self._judges.panel(ledger or Ledger()))
        if services.sandbox is None:
            return await self._graded(item, completion, services)
        return await self._graded_in_sandbox(item, completion, services, services.sandbox)

    async def _graded_in_sandbox(
        self, item: Item, completion: Completion, services: Services, sandbox: Sandbox
    ) -> Grade:
        """A failure of the sandbox is not the model's: try again, then leave it to the outcome to say so."""
        recording = RecordingSandbox(sandbox)
        services = replace(services, sandbox=recording)
        for _ in range(_SANDBOX_TRIES - 1):
            with contextlib.suppress(SandboxError):
                grade = await self._graded(item, completion, services)
                return replace(grade, details=recording.noted(grade.details))
        grade = await self._graded(item, completion, services)
        return replace(grade, details=recording.noted(grade.details))

    async def _graded(self, item: Item, completion: Completion, services: Services) -> Grade:
        try:
            return await self._benchmark.grade(item, completion, services)
        except AssayError:
            raise
        except Exception as error:
            # A plug-in's fault must not be held against the model, nor end the run.
            message = f"the grader of {self._benchmark.card.name!r} failed: {type(error).__name__}: {error}"
            raise GraderError(message) from error


async def verdict(
    grader: Grader, item: Item, completion: Completion, *, ledger: Ledger | None = None
) -> Grade:
    """Grade one completion; refusals and cut replies by the rules every benchmark shares."""
    if not item.is_graded:
        return await grader.grade(item, completion, ledger)
    if completion.is_refused:
        reason = completion.refusal or "stopped by the provider's content filter"
        return Grade(Outcome.REFUSED, 0.0, explanation=reason)
    if completion.is_cut and not completion.answer.strip():
        return Grade(Outcome.TRUNCATED, 0.0, explanation="cut at the token cap before any answer")
    grade = await grader.grade(item, completion, ledger)
    if completion.is_cut and grade.outcome is Outcome.UNPARSED:
        return Grade(
            Outcome.TRUNCATED, 0.0, explanation="cut at the token cap before an answer could be read"
        )
    return grade


@record
class AttemptStart:
    evaluation_id: EvaluationId
    item: Item
    sample: int
    started_at: datetime
    item_hash: str | None = None


def ended_attempt(
    start: AttemptStart,
    ending: Grade | AttemptError,
    *,
    finished_at: datetime,
    completion: Completion | None = None,
    prompt: str = "",
    cost_usd: Decimal | None = None,
    calls: tuple[Call, ...] = (),
) -> Attempt:
    """The record of an attempt that ended in a verdict or in an error."""
    grade = ending if isinstance(ending, Grade) else None
    error = ending if isinstance(ending, AttemptError) else None
    reply = completion or _NO_REPLY
    return Attempt(
        evaluation_id=start.evaluation_id,
        item_id=start.item.id,
        sample=start.sample,
        outcome=ending.outcome if isinstance(ending, Grade) else outcome_of(ending),
        score=grade.score if grade and grade.outcome.is_verdict else None,
        started_at=start.started_at,
        finished_at=finished_at,
        prompt=prompt,
        answer=reply.answer,
        reasoning=reply.reasoning,
        extracted=grade.extracted if grade else None,
        expected=start.item.expected,
        item_hash=start.item_hash,
        explanation=grade.explanation if grade else "",
        details=ending.details if isinstance(ending, Grade | GraderError) else {},
        test_code=grade.test_code if grade else None,
        finish_reason=reply.finish_reason,
        is_cut=reply.is_cut,
        usage=reply.usage,
        timing=reply.timing,
        cost_usd=cost_usd,
        error_code=error.code if error else None,
        error_message=error.message if error else None,
        tries=sum(call.role == "model" for call in calls),
        calls=calls,
    )


def with_ledger(attempt: Attempt, ledger: Ledger) -> Attempt:
    """The attempt with what judging it took."""
    return replace(attempt, judge_cost_usd=ledger.usd, calls=(*attempt.calls, *ledger.calls))


_NO_REPLY = Completion("")
