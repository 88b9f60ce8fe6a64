"""One attempt as an object of `attempts.json`."""

from collections.abc import Mapping
from dataclasses import dataclass

from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Usage
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.domain.programs.sandbox import WORKSPACE
from assay.domain.run import Evaluation
from assay.engine.code_harness.names import BASE_LEVEL, level_of, options_of
from assay.engine.code_harness.statuses import AttemptResult, Status, status_of

_EXCERPT_CHARACTERS = 2_000
# Asking again cannot help: the request or the data is at fault.
_LASTING = frozenset({Outcome.DATA_ERROR, Outcome.GRADER_ERROR})


@dataclass(frozen=True, slots=True)
class CodeAttempt:
    """An attempt with the evaluation it belongs to; `folder` holds its files, below that of the run."""

    evaluation: Evaluation
    attempt: Attempt
    folder: str

    @property
    def status(self) -> Status:
        return status_of(self.attempt)

    @property
    def level(self) -> str:
        return level_of(self.evaluation)

    @property
    def result(self) -> AttemptResult:
        return AttemptResult.of(self.attempt, self.evaluation)

    @property
    def used_rewrite_fallback(self) -> bool:
        answer = self.attempt.details.get("answer")
        return isinstance(answer, Mapping) and answer.get("fallback") == "rewrite"

    @property
    def api_latency_s(self) -> float | None:
        timing = self.attempt.timing
        return None if timing is None else timing.duration_ms / 1000

    @property
    def duration_s(self) -> float:
        return (self.attempt.finished_at - self.attempt.started_at).total_seconds()

    @property
    def error(self) -> str | None:
        """Why it did not pass, as far as that was not for its tests to say."""
        if self.status == "api_error":
            return self.attempt.error_message or f"ended as {self.attempt.outcome.value}"
        return self.attempt.explanation if self.status == "error" else None


def attempt_document(one: CodeAttempt) -> dict[str, Json]:
    attempt, details = one.attempt, one.attempt.details
    level = None if one.level == BASE_LEVEL else one.level
    is_missing = one.status == "api_error"
    return {
        "task_id": attempt.item_id,
        "model": one.evaluation.model,
        "provider": options_of(one.evaluation.benchmark).get("provider"),
        "sample_index": attempt.sample,
        "status": one.status,
        "return_code": details.get("exit_code"),
        "error": one.error,
        "error_type": _error_type(one),
        "is_transient": attempt.outcome not in _LASTING if is_missing else None,
        "attempt_dir": one.folder,
        "thinking_level_requested": level,
        # Whether the endpoint took the request with it; nobody knows where it did not answer.
        "thinking_level_supported": None if level is None or is_missing else True,
        "thinking_level_applied": level,
        "eval_command": details.get("command"),
        "eval_timeout_seconds": details.get("timeout_seconds"),
        "eval_working_dir": WORKSPACE,
        "stdout_excerpt": _excerpt(details.get("stdout")),
        "stderr_excerpt": _excerpt(details.get("stderr")),
        "usage": usage_document(attempt.usage),
        "api_latency_seconds": one.api_latency_s,
        "duration_seconds": one.duration_s,
        "cost_usd": None if attempt.cost_usd is None else float(attempt.cost_usd),
        "diff_rewrite_fallback_used": one.used_rewrite_fallback,
    }


def usage_document(usage: Usage) -> dict[str, Json] | None:
    """None where the endpoint reported nothing."""
    if usage.input_tokens is None and usage.output_tokens is None:
        return None
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


def _error_type(one: CodeAttempt) -> str | None:
    if one.status == "api_error":
        return one.attempt.error_code or one.attempt.outcome.value
    return one.attempt.outcome.value if one.status == "error" else None


def _excerpt(text: Json) -> str:
    return text[:_EXCERPT_CHARACTERS] if isinstance(text, str) else ""
