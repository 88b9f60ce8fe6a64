"""What the calls about runs of code tasks and those about runs of Expert QA have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from assay.api.access.actor import Actor, require_control
from assay.api.caches import ApiCaches
from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError
from assay.api.harness.ids import refused_as_bad_request
from assay.api.schemas.harness import HarnessResumed, HarnessRetried, HarnessRun, HarnessRuns
from assay.domain.attempt import AttemptKey
from assay.domain.errors import IllegalTransitionError
from assay.domain.json_value import Json
from assay.domain.run import Evaluation, Run, State
from assay.engine.code_harness.attempts import CodeAttempt
from assay.engine.code_harness.names import BENCHMARK, QUESTIONS, is_variant_of, level_of
from assay.engine.code_harness.questions import questions_summary
from assay.engine.code_harness.summary import CodeRun, code_run, summary_document
from assay.engine.execution import control
from assay.engine.fleet.liveness import with_interruptions
from assay.engine.stores.runs import RunFilter

_REOPENED = frozenset({State.FAILED, State.CANCELED})


@dataclass(frozen=True, slots=True)
class Family:
    """The runs of a benchmark and its variants, and their summary."""

    benchmark: str
    summary: Callable[[CodeRun], dict[str, Json]]

    async def read(self, services: ApiServices, run_id: str) -> CodeRun:
        return await code_run(services.stores, run_id, family=self.benchmark)

    async def newest(self, services: ApiServices, caches: ApiCaches, *, limit: int) -> HarnessRuns:
        page = await services.stores.runs.page(RunFilter(benchmark_prefix=self.benchmark, limit=limit))
        own = [
            run for run in page.runs if any(is_variant_of(one, self.benchmark) for one in run.spec.benchmarks)
        ]
        return HarnessRuns(runs=tuple([await self._listed(run, services, caches) for run in own]))

    async def _listed(self, run: Run, services: ApiServices, caches: ApiCaches) -> HarnessRun:
        async def read() -> HarnessRun:
            return HarnessRun.of(self.summary(await self.read(services, run.id)))

        if run.state is not State.SUCCEEDED:
            return await read()
        return await caches.harness_runs.get((run.id, run.finished_at, self.benchmark), read)

    async def controlled(self, services: ApiServices, run_id: str, actor: Actor) -> CodeRun:
        found = await self.read(services, run_id)
        require_control(found.run, actor, services)
        return found


CODE: Final = Family(BENCHMARK, summary_document)
EXPERT_QA: Final = Family(QUESTIONS, questions_summary)


def api_errors(found: CodeRun) -> list[CodeAttempt]:
    return [one for one in found.attempts if one.status == "api_error"]


def not_made(found: CodeRun) -> list[tuple[Evaluation, AttemptKey]]:
    made = {(one.evaluation.id, one.attempt.key) for one in found.attempts}
    planned = [
        (one, AttemptKey(item, sample))
        for one in found.evaluations
        for item in one.item_ids
        for sample in range(one.samples)
    ]
    return [(one, key) for one, key in planned if (one.id, key) not in made]


async def retry_errors(found: CodeRun, services: ApiServices) -> HarnessRetried:
    await _require_settled(found.run, services)
    with refused_as_bad_request():
        await control.retry_missing(services.engine.lifecycle, found.run.id)
    return HarnessRetried.of(found.run.id, len(api_errors(found)))


async def retry_one(
    found: CodeRun, key: AttemptKey, services: ApiServices, *, model: str | None, level: str | None
) -> HarnessRetried:
    evaluation = _evaluation(found, model=model, level=level)
    if key.item_id not in evaluation.item_ids or key.sample >= evaluation.samples:
        detail = f"run {found.run.id[:8]!r} has no attempt {key.sample} at {key.item_id!r}"
        raise ProblemError(HTTPStatus.BAD_REQUEST, detail, code="unknown-name")
    with refused_as_bad_request():
        await control.retry_attempt(services.engine.lifecycle, evaluation, key)
    return HarnessRetried.of(found.run.id, 1)


async def resume(found: CodeRun, services: ApiServices) -> HarnessResumed:
    run, lifecycle = found.run, services.engine.lifecycle
    await _require_settled(run, services)
    missing = not_made(found)
    if not missing:
        detail = f"run {run.id[:8]!r} has made all its attempts"
        raise ProblemError(HTTPStatus.BAD_REQUEST, detail, code="nothing-to-do")
    with refused_as_bad_request():
        await (control.requeue if run.state in _REOPENED else control.resume)(lifecycle, run.id)
    return HarnessResumed.of(run.id, len(missing))


async def _require_settled(run: Run, services: ApiServices) -> None:
    if run.state.is_settled:
        return
    stored = [await services.stores.runs.get_with_outcomes(run.id)]
    [found] = await with_interruptions(services.stores, stored, services.engine.queue.waiting)
    if not found.is_interrupted:
        raise IllegalTransitionError(f"run {run.id[:8]!r} {run.state.clause}: wait until it has ended")


def _evaluation(found: CodeRun, *, model: str | None, level: str | None) -> Evaluation:
    """The only one that is meant; 400 if there are several or none."""
    meant = [
        one for one in found.evaluations if model in (None, one.model) and level in (None, level_of(one))
    ]
    if len(meant) == 1:
        return meant[0]
    names = ", ".join(f"{one.model!r} at {level_of(one)!r}" for one in found.evaluations)
    detail = f"name one model and thinking level of the run with model and thinking_level: {names}"
    raise ProblemError(HTTPStatus.BAD_REQUEST, detail, code="which-evaluation")
