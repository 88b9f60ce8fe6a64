"""The one way an answer becomes a verdict, in a run and for answers made elsewhere."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from assay.domain.attempt import Attempt, Call
from assay.domain.benchmark import Benchmark, Grade, Item, Services
from assay.domain.errors import AssayError, AttemptError, GraderError
from assay.domain.messages import Completion
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId
from assay.engine.retry import outcome_of


class Grader(Protocol):
    """Where grading happens: here, or in another process."""

    async def grade(self, item: Item, completion: Completion) -> Grade: ...


class DirectGrader:
    def __init__(self, benchmark: Benchmark, services: Services) -> None:
        self._benchmark = benchmark
        self._services = services

    async def grade(self, item: Item, completion: Completion) -> Grade:
        try:
            return await self._benchmark.grade(item, completion, self._services)
        except AssayError:
            raise
        except Exception as error:
            # A plug-in's fault must not be held against the model, nor end the run.
            message = f"the grader of {self._benchmark.card.name!r} failed: {type(error).__name__}: {error}"
            raise GraderError(message) from error


async def verdict(grader: Grader, item: Item, completion: Completion) -> Grade:
    """Grade one completion; refusals and cut replies by the rules every benchmark shares."""
    if completion.is_refused:
        reason = completion.refusal or "stopped by the provider's content filter"
        return Grade(Outcome.REFUSED, 0.0, explanation=reason)
    if completion.is_cut and not completion.answer.strip():
        return Grade(Outcome.TRUNCATED, 0.0, explanation="cut at the token cap before any answer")
    grade = await grader.grade(item, completion)
    if completion.is_cut and grade.outcome is Outcome.UNPARSED:
        return Grade(
            Outcome.TRUNCATED, 0.0, explanation="cut at the token cap before an answer could be read"
        )
    return grade


@dataclass(frozen=True, slots=True)
class AttemptStart:
    evaluation_id: EvaluationId
    item: Item
    sample: int
    started_at: datetime


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
        score=grade.score if grade else None,
        started_at=start.started_at,
        finished_at=finished_at,
        prompt=prompt,
        answer=reply.answer,
        reasoning=reply.reasoning,
        extracted=grade.extracted if grade else None,
        expected=start.item.expected,
        explanation=grade.explanation if grade else "",
        details=grade.details if grade else {},
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


_NO_REPLY = Completion("")
