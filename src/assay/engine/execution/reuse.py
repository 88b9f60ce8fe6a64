"""Takes the answers of earlier runs to the same requests, where a run asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from assay.domain.attempt import LOGPROBS, REUSED_FROM, Attempt, AttemptKey
from assay.domain.benchmark import Need
from assay.domain.calls.messages import Completion, Usage
from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.domain.fingerprint import differences
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, EvaluationId, RunId, RunSpec
from assay.engine.planning.plan import PlannedBenchmark
from assay.engine.stores.attempts import AttemptStore
from assay.engine.stores.runs import RunStore


@dataclass(frozen=True, slots=True)
class EarlierAnswers:
    """Those that one evaluation may take."""

    attempts: AttemptStore
    evaluation_id: EvaluationId

    async def find(self, key: AttemptKey, *, prompt: str, item_hash: str | None) -> Attempt | None:
        return await self.attempts.answered_before(
            self.evaluation_id, key, prompt=prompt, item_hash=item_hash
        )


@dataclass(frozen=True, slots=True)
class BaselineAnswers:
    """Those of one stored evaluation; a refusal is asked again, as its signal is not stored with it."""

    attempts: AttemptStore
    baseline_id: EvaluationId

    async def find(self, key: AttemptKey, *, prompt: str, item_hash: str | None) -> Attempt | None:
        try:
            found = await self.attempts.get(self.baseline_id, key)
        except UnknownNameError:
            return None
        is_same = (found.prompt, found.item_hash) == (prompt, item_hash)
        return found if is_same and found.outcome.is_final and found.outcome is not Outcome.REFUSED else None


async def answers_for(
    spec: RunSpec, evaluation: Evaluation, runs: RunStore, attempts: AttemptStore
) -> EarlierAnswers | BaselineAnswers | None:
    """Where the evaluation looks for stored answers before it asks."""
    if spec.baseline is not None and spec.is_baseline(evaluation.model):
        stored = await _baseline_of(spec.baseline, evaluation, runs)
        return None if stored is None else BaselineAnswers(attempts, stored.id)
    return EarlierAnswers(attempts, evaluation.id) if spec.reuse else None


async def require_same_baseline(spec: RunSpec, evaluations: Sequence[Evaluation], runs: RunStore) -> None:
    """Raises InvalidValueError where the stored answers are not to what this run asks."""
    for one in evaluations:
        if spec.baseline is None or not spec.is_baseline(one.model):
            continue
        stored = await _baseline_of(spec.baseline, one, runs)
        where = f"run {spec.baseline[:8]!r}"
        if stored is None:
            raise InvalidValueError(f"{where} has no evaluation of {one.model!r} on {one.benchmark!r}")
        differing = [name for name in differences(one.fingerprint, stored.fingerprint) if name != "stop"]
        if differing:
            raise InvalidValueError(
                f"{where} was not asked what would be asked now of {one.benchmark!r}: {', '.join(differing)}"
                " differ; run the baseline again"
            )


async def _baseline_of(baseline: RunId, evaluation: Evaluation, runs: RunStore) -> Evaluation | None:
    stored = (await runs.evaluations_of([baseline])).get(baseline, ())
    wanted = (evaluation.model, evaluation.benchmark)
    return next((one for one in stored if (one.model, one.benchmark) == wanted), None)


def reused_completion(earlier: Attempt) -> Completion:
    """The reply without its usage and timing: they belong to the attempt that asked."""
    return Completion(
        earlier.answer,
        reasoning=earlier.reasoning,
        finish_reason=earlier.finish_reason,
        reasoning_unclosed=earlier.is_cut,
        usage=Usage(input_tokens=0, output_tokens=0),
    )


def marked_as_reused(attempt: Attempt, earlier: Attempt) -> Attempt:
    details = {**attempt.details, REUSED_FROM: earlier.evaluation_id}
    if earlier.has_logprobs:
        details[LOGPROBS] = earlier.details[LOGPROBS]
    return replace(attempt, details=details, cost_usd=Decimal(0))


def require_reusable(spec: RunSpec, planned: Sequence[PlannedBenchmark]) -> None:
    """Raises InvalidValueError where a stored answer may not be what the model would be asked for."""
    if not spec.reuse and spec.baseline is None:
        return
    if spec.headers:
        raise InvalidValueError(
            "answers cannot be reused in a run with request headers: leave one of them out"
        )
    for one in planned:
        if one.item_set.converse is not None or Need.TOOLS in one.benchmark.card.needs:
            raise InvalidValueError(
                f"answers to {one.benchmark.card.name!r} cannot be reused: its attempts take several calls"
                " or call tools; run it without reuse and without a baseline"
            )
