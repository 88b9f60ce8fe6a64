"""Takes the answers of earlier runs to the same requests, where a run asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from assay.domain.attempt import LOGPROBS, REUSED_FROM, Attempt, AttemptKey
from assay.domain.benchmark import Need
from assay.domain.errors import InvalidValueError
from assay.domain.messages import Completion, Usage
from assay.domain.run import EvaluationId, RunSpec
from assay.engine.planning.plan import PlannedBenchmark
from assay.engine.stores.attempts import AttemptStore


@dataclass(frozen=True, slots=True)
class EarlierAnswers:
    """Those that one evaluation may take."""

    attempts: AttemptStore
    evaluation_id: EvaluationId

    async def find(self, key: AttemptKey, *, prompt: str, item_hash: str | None) -> Attempt | None:
        return await self.attempts.answered_before(
            self.evaluation_id, key, prompt=prompt, item_hash=item_hash
        )


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
    if not spec.reuse:
        return
    if spec.headers:
        raise InvalidValueError(
            "answers cannot be reused in a run with request headers: leave one of them out"
        )
    for one in planned:
        if one.item_set.converse is not None or Need.TOOLS in one.benchmark.card.needs:
            raise InvalidValueError(
                f"answers to {one.benchmark.card.name!r} cannot be reused: its attempts take several calls"
                " or call tools; run it without reuse"
            )
