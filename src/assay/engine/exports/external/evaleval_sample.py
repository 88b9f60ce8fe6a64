"""One attempt in the "Every Eval Ever" format, and the names of an evaluation in it."""

from hashlib import sha256
from uuid import UUID

from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Json
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.external.prompts import prompt_text
from assay.engine.exports.figures import Object
from assay.engine.exports.members import file_part

SCHEMA_VERSION = "0.3.0"
MAIN = "score"


class Names:
    """The names of one evaluation in this format."""

    def __init__(self, content: RunContent, one: EvaluationContent) -> None:
        evaluation = one.evaluation
        provider, _, rest = evaluation.model.partition("/")
        self.provider = provider
        self.model_id = rest if "/" in rest else evaluation.model
        self.developer, _, self.model = self.model_id.partition("/")
        moment = content.run.finished_at or content.run.started_at or content.run.created_at
        self.timestamp = str(int(moment.timestamp()))
        self.evaluation_id = f"{evaluation.benchmark}/{self.model_id}/{self.timestamp}"
        folder = "/".join(map(file_part, (evaluation.benchmark, self.developer, self.model)))
        uuid = _uuid4(f"{content.run.id}/{evaluation.id}")
        self.aggregate_path = f"data/{folder}/{uuid}.json"
        self.samples_path = f"data/{folder}/{uuid}_samples.jsonl"


def sample_document(attempt: Attempt, score: float, one: EvaluationContent, names: Names) -> Object:
    evaluation: Evaluation = one.evaluation
    facts = one.facts.get(attempt.item_id)
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": names.evaluation_id,
        "model_id": names.model_id,
        "evaluation_name": evaluation.benchmark,
        "evaluation_result_id": MAIN,
        "sample_id": _sample_id(attempt, evaluation),
        "sample_hash": facts.item_hash if facts else None,
        "interaction_type": "single_turn",
        "input": {
            "raw": prompt_text(attempt.prompt),
            "formatted": attempt.prompt,
            "reference": [] if attempt.expected is None else [attempt.expected],
        },
        "output": {
            "raw": [attempt.answer],
            "reasoning_trace": [attempt.reasoning] if attempt.reasoning else None,
        },
        "messages": None,
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": attempt.answer if attempt.extracted is None else attempt.extracted,
                "extraction_method": evaluation.fingerprint.grader,
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": score, "is_correct": attempt.outcome is Outcome.CORRECT},
        "token_usage": _token_usage(attempt),
        "performance": _performance(attempt),
        "metadata": {"outcome": attempt.outcome.value, "sample": str(attempt.sample)},
    }


def _sample_id(attempt: Attempt, evaluation: Evaluation) -> str:
    return attempt.item_id if evaluation.samples == 1 else f"{attempt.item_id}#{attempt.sample}"


def _token_usage(attempt: Attempt) -> Object | None:
    usage = attempt.usage
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "input_tokens_cache_read": usage.cached_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


def _performance(attempt: Attempt) -> Object | None:
    timing = attempt.timing
    if timing is None:
        return None
    return {
        "latency_ms": timing.duration_ms,
        "time_to_first_token_ms": timing.ttft_ms,
        "generation_time_ms": None if timing.ttft_ms is None else timing.duration_ms - timing.ttft_ms,
        "additional_details": texts(
            {
                name: None if value is None else f"{value:g}"
                for name, value in (
                    ("max_gap_ms", timing.max_gap_ms),
                    ("ttfat_ms", timing.ttfat_ms),
                    ("tokens_per_s", timing.tokens_per_s),
                )
            }
        ),
    }


def texts(values: dict[str, str | None]) -> dict[str, Json]:
    """The schema accepts texts only; unknown values are left out."""
    return {name: value for name, value in values.items() if value is not None}


def _uuid4(name: str) -> UUID:
    """A UUID of version 4, as the schema requires, that is the same at every export."""
    return UUID(bytes=sha256(name.encode()).digest()[:16], version=4)
