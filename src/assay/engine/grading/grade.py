"""The one way an answer becomes a verdict, in a run and for answers made elsewhere."""

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Protocol

from assay.domain.attempt import LOGPROBS, Attempt, Call
from assay.domain.benchmark import Benchmark, Grade, Item, Services
from assay.domain.calls.messages import Completion, Json
from assay.domain.errors import AssayError, AttemptError, GraderError, SandboxError
from assay.domain.outcome import Outcome
from assay.domain.programs.sandbox import Confinement, Sandbox, SandboxSession, Spec
from assay.domain.record import record
from assay.domain.run import EvaluationId
from assay.engine.judging.judges import JudgeCalls, Judges
from assay.engine.models.retry import outcome_of

SANDBOX_DETAIL = "sandbox"
_SANDBOX_TRIES = 3


class Grader(Protocol):
    """Where grading happens: here, or in another process."""

    async def grade(self, item: Item, completion: Completion, judge_calls: JudgeCalls | None = None) -> Grade:
        """Calls to judges are added to `judge_calls`, also if grading fails."""
        ...


class DirectGrader:
    def __init__(self, benchmark: Benchmark, services: Services, *, judges: Judges | None = None) -> None:
        self._benchmark = benchmark
        self._services = services
        self._judges = judges

    async def grade(self, item: Item, completion: Completion, judge_calls: JudgeCalls | None = None) -> Grade:
        services = self._services
        if self._judges is not None:
            services = replace(services, panel=self._judges.panel(judge_calls or JudgeCalls()))
        if services.sandbox is None:
            return await self._graded(item, completion, services)
        return await self._graded_in_sandbox(item, completion, services, services.sandbox)

    async def _graded_in_sandbox(
        self, item: Item, completion: Completion, services: Services, sandbox: Sandbox
    ) -> Grade:
        """A failure of the sandbox is not the model's: try again, then end in a sandbox error."""
        recording = _RecordingSandbox(sandbox)
        services = replace(services, sandbox=recording)
        for _ in range(_SANDBOX_TRIES - 1):
            with contextlib.suppress(SandboxError):
                grade = await self._graded(item, completion, services)
                return replace(grade, details=recording.recorded(grade.details))
        grade = await self._graded(item, completion, services)
        return replace(grade, details=recording.recorded(grade.details))

    async def _graded(self, item: Item, completion: Completion, services: Services) -> Grade:
        try:
            return await self._benchmark.grade(item, completion, services)
        except AssayError:
            raise
        except Exception as error:
            # A bug of a plug-in must neither count against the model nor end the run.
            message = f"the grader of {self._benchmark.card.name!r} failed: {type(error).__name__}: {error}"
            raise GraderError(message) from error


class _RecordingSandbox:
    """Opens sessions in another sandbox, and remembers the weakest confinement among them."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._weakest: Confinement | None = None

    async def open(self, spec: Spec) -> SandboxSession:
        session = await self._sandbox.open(spec)
        found = session.confinement
        if self._weakest is None or found.isolation < self._weakest.isolation:
            self._weakest = found
        return session

    def recorded(self, details: Mapping[str, Json]) -> Mapping[str, Json]:
        """The details of a grade with the confinement added, if any program ran."""
        return details if self._weakest is None else {**details, SANDBOX_DETAIL: self._weakest.to_json()}


async def verdict(
    grader: Grader, item: Item, completion: Completion, *, judge_calls: JudgeCalls | None = None
) -> Grade:
    """Grade one completion; refusals and cut replies by the rules that every benchmark shares."""
    if not item.is_graded:
        return await grader.grade(item, completion, judge_calls)
    if completion.is_refused:
        reason = completion.refusal or "stopped by the provider's content filter"
        return Grade(Outcome.REFUSED, 0.0, explanation=reason)
    if completion.is_cut and not completion.answer.strip():
        return Grade(Outcome.TRUNCATED, 0.0, explanation="cut at the token cap before any answer")
    grade = await grader.grade(item, completion, judge_calls)
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
    details = ending.details if isinstance(ending, Grade | GraderError) else {}
    if reply.logprobs is not None:
        details = {**details, LOGPROBS: reply.logprobs.to_json()}
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
        details=details,
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


def with_judge_calls(attempt: Attempt, *made: JudgeCalls) -> Attempt:
    """The attempt with the calls to other models and what they cost in all."""
    costs = [one.cost_usd for one in made]
    known = [cost for cost in costs if cost is not None]
    return replace(
        attempt,
        judge_cost_usd=sum(known, Decimal(0)) if len(known) == len(costs) else None,
        calls=(*attempt.calls, *(call for one in made for call in one.calls)),
    )


_NO_REPLY = Completion("")
