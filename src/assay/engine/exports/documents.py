"""Runs, evaluations and attempts as JSON objects, in the terms of the export contract.

Everything here comes from the store, nothing from the clock or this machine: the same run gives the same
bytes.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Literal, Self

from assay.domain.agent import OwnAgent
from assay.domain.attempt import Attempt, Call
from assay.domain.benchmark import ItemId
from assay.domain.calls.pricing import Price
from assay.domain.calls.timing import StreamTiming
from assay.domain.judging import Judging
from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run, RunSpec, State, Subset
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.figures import Object, amount, stopped_document, summary_document
from assay.engine.results.contract_metrics import contract_metrics

SCHEMA_VERSION = "1.0"
ContractStatus = Literal["pending", "running", "succeeded", "failed", "skipped"]

CONTRACT_STATUS: Mapping[State, ContractStatus] = {
    State.QUEUED: "pending",
    State.PAUSED: "pending",
    State.RUNNING: "running",
    State.SUCCEEDED: "succeeded",
    State.FAILED: "failed",
    State.CANCELED: "skipped",
}
_NAMED_DATA = frozenset({"official", "demo"})


def iso_seconds(moment: datetime | None) -> str | None:
    """A time as the export contract writes it."""
    if moment is None:
        return None
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def iso_microseconds(moment: datetime) -> str:
    return f"{moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"


def settled_at(run: Run) -> str | None:
    """When the run last changed; the time of the export would change its bytes."""
    return iso_seconds(run.finished_at or run.started_at or run.created_at)


def data_source(where: str) -> str:
    """Where the items came from, without folder names of the machine."""
    return where if where in _NAMED_DATA else f"file:{PurePath(where).name}"


def run_document(content: RunContent) -> Object:
    run, spec, overall = content.run, content.run.spec, content.overall_score
    return {
        "id": run.id,
        "model_id": ",".join(spec.models),
        "model_slug": ",".join(spec.models),
        "models": spec.models,
        "provider": ",".join(dict.fromkeys(model.partition("/")[0] for model in spec.models)),
        "provider_metadata": None,
        "subset_pct": spec.subset.percent,
        "subset_count": spec.subset.count,
        "subset_seed": spec.subset.seed,
        "items": spec.items,
        "samples": spec.samples,
        **({} if spec.stop is None else {"stop": asdict(spec.stop)}),
        "status": run.state.value,
        "selected_benchmarks": spec.benchmarks,
        "overall_score": overall.value,
        "scored_evaluations": overall.counted,
        "total_evaluations": overall.evaluations,
        "error_message": run.error,
        "started_at": iso_seconds(run.started_at),
        "completed_at": iso_seconds(run.finished_at),
        "created_at": iso_seconds(run.created_at),
        "code_version": run.code_version,
        "git_sha": run.git_sha,
    }


def provenance_document(run: Run) -> Object:
    """Versions and settings of the run, as recorded when it was created."""
    spec = run.spec
    return {
        "assay_version": run.code_version,
        "git_sha": run.git_sha,
        "environment": dict(run.environment),
        "judge": _judge_document(spec.judge),
        "user_model": _judge_document(spec.user_model),
        "agent": _agent_document(spec.agent),
        "data": data_source(spec.data),
        "subset": {"percent": spec.subset.percent, "count": spec.subset.count, "seed": spec.subset.seed},
        "budget": {"usd": amount(spec.budget.usd), "tokens": spec.budget.tokens},
        "max_connections": spec.max_connections,
        "composite": {
            "weights": asdict(spec.composite.weights),
            "minimum_quality": spec.composite.minimum_quality,
        },
        "warmup": spec.warmup,
        "reuse": spec.reuse,
        **_later_settings(spec),
        # Without their paths, which say something about the machine of their author.
        "benchmark_files": {name: file.sha256 for name, file in spec.files.items()},
    }


def _later_settings(spec: RunSpec) -> Object:
    """Left out where they are not given. The values of headers may be secret."""
    found: Object = {}
    if spec.headers:
        found["headers"] = sorted(spec.headers)
    if spec.few_shot is not None:
        found["few_shot"] = spec.few_shot
    if spec.baseline is not None:
        found["baseline"] = spec.baseline
    return found


def _agent_document(agent: OwnAgent | None) -> Object | None:
    """Without the path of its folder, whose files the fingerprint identifies."""
    if agent is None:
        return None
    limits = agent.limits
    return {
        "command": agent.command,
        "has_folder": agent.folder is not None,
        "limits": {"calls": limits.calls, "tokens": limits.tokens, "usd": amount(limits.usd)},
    }


def _judge_document(judge: Judging | None) -> Object | None:
    if judge is None:
        return None
    return {
        "label": judge.label,
        "models": judge.models,
        "votes": judge.votes,
        "generation": judge.generation.to_json(),
        "prices": {model: price_document(price) for model, price in judge.prices.items()},
    }


def evaluation_head(one: EvaluationContent, *, source: str) -> Object:
    """The keys that sort before `items`; known before the attempts are read."""
    evaluation = one.evaluation
    fingerprint = evaluation.fingerprint
    stopped = one.summary.stopped
    return {
        "asked_items": [_item_document(one, item_id) for item_id in evaluation.item_ids],
        "benchmark_name": evaluation.benchmark,
        "benchmark_version": evaluation.benchmark_version,
        "completed_items": one.completed,
        "data": {
            "source": data_source(source),
            "revision": fingerprint.data_revision,
            "checksum": fingerprint.data_checksum,
        },
        **({} if stopped is None else {"decision": stopped_document(stopped)}),
        "endpoint": evaluation.endpoint,
        "error_message": evaluation.error,
        "evaluation_id": evaluation.id,
        "fingerprint": fingerprint.value,
        "fingerprint_fields": fingerprint.to_json(),
        "finished_at": iso_seconds(evaluation.finished_at),
        "generation": evaluation.generation.to_json(),
        "is_masked": one.is_masked,
    }


def _item_document(one: EvaluationContent, item_id: ItemId) -> Object:
    facts = one.facts.get(item_id)
    return {
        "item_id": item_id,
        "item_hash": facts.item_hash if facts else None,
        "prompt_sha256": facts.prompt_sha256 if facts else None,
        "category": facts.category if facts else None,
        "cluster": facts.cluster if facts else None,
        **({"place": one.places[item_id]} if one.places else {}),
    }


def evaluation_tail(one: EvaluationContent, served: "ServedBy", *, subset: Subset) -> Object:
    """The keys that sort after `items`."""
    evaluation, summary = one.evaluation, one.summary
    return {
        "judge": evaluation.fingerprint.judge,
        "metrics": contract_metrics(evaluation, summary, subset),
        "model": evaluation.model,
        "price": price_document(evaluation.price),
        "sampled_item_ids": evaluation.item_ids,
        "sampled_items": summary.total if summary.stopped else evaluation.total_attempts,
        "samples": evaluation.samples,
        "score": summary.score.value if summary.score else None,
        "served_by": served.document(),
        "started_at": iso_seconds(evaluation.started_at),
        "state": evaluation.state.value,
        "status": CONTRACT_STATUS[evaluation.state],
        "summary": summary_document(summary),
        "total_items": evaluation.benchmark_size,
    }


def price_document(price: Price | None) -> Object | None:
    if price is None:
        return None
    return {
        "input_usd_per_million": amount(price.input_usd_per_million),
        "output_usd_per_million": amount(price.output_usd_per_million),
        "source": price.source,
    }


class ServedBy:
    """The models and systems that the endpoint named in its replies, with the number of calls."""

    def __init__(self) -> None:
        self._models: Counter[str] = Counter()
        self._systems: Counter[str] = Counter()

    def add(self, calls: tuple[Call, ...]) -> None:
        for call in calls:
            if call.role == "model":
                self.add_names(call.served_model, call.system_fingerprint)

    def add_names(self, model: str | None, system: str | None) -> None:
        if model is not None:
            self._models[model] += 1
        if system is not None:
            self._systems[system] += 1

    def document(self) -> Object:
        return {"models": dict(self._models), "system_fingerprints": dict(self._systems)}


@dataclass(frozen=True, slots=True)
class EvaluationIdentity:
    """What every attempt repeats of its evaluation, so that it can be proven without the others."""

    benchmark: str
    model: str
    fingerprint: str

    @classmethod
    def of(cls, evaluation: Evaluation) -> Self:
        return cls(evaluation.benchmark, evaluation.model, evaluation.fingerprint.value)


def attempt_document(attempt: Attempt, identity: EvaluationIdentity, *, item_hash: str | None) -> Object:
    usage, outcome = attempt.usage, attempt.outcome
    return {
        "item_id": attempt.item_id,
        "item_hash": attempt.item_hash or item_hash,
        "prompt": attempt.prompt,
        "response": attempt.answer,
        "expected": attempt.expected,
        "is_correct": outcome is Outcome.CORRECT if outcome.is_verdict else None,
        "score": attempt.score,
        "latency_ms": latency_ms(attempt),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "error": error_text(attempt),
        "test_code": attempt.test_code,
        "item_metadata": None,
        "judge_output": {"explanation": attempt.explanation, "details": attempt.details},
        "created_at": iso_seconds(attempt.finished_at),
        "benchmark": identity.benchmark,
        "model": identity.model,
        "fingerprint": identity.fingerprint,
        "sample": attempt.sample,
        "outcome": outcome.value,
        "extracted": attempt.extracted,
        "reasoning": attempt.reasoning,
        "finish_reason": attempt.finish_reason,
        "is_cut": attempt.is_cut,
        "error_code": attempt.error_code,
        "reasoning_tokens": usage.reasoning_tokens,
        "cached_tokens": usage.cached_tokens,
        "reported_cost_usd": amount(usage.reported_cost_usd),
        "cost_usd": amount(attempt.cost_usd),
        "judge_cost_usd": amount(attempt.judge_cost_usd),
        "timing": _timing_document(attempt.timing) if attempt.timing else None,
        "tries": attempt.tries,
        "started_at": iso_microseconds(attempt.started_at),
        "finished_at": iso_microseconds(attempt.finished_at),
        "calls": [_call_document(call) for call in attempt.calls],
    }


def _timing_document(timing: StreamTiming) -> Object:
    # asdict would copy every value, which takes a tenth of the time of an export.
    return {
        "duration_ms": timing.duration_ms,
        "ttft_ms": timing.ttft_ms,
        "ttfat_ms": timing.ttfat_ms,
        "max_gap_ms": timing.max_gap_ms,
        "silence_ms": timing.silence_ms,
        "stalls": timing.stalls,
        "chunks": timing.chunks,
        "tokens_per_s": timing.tokens_per_s,
        "continuity": timing.continuity,
        "keep_alives": timing.keep_alives,
    }


def _call_document(call: Call) -> Object:
    return {
        "role": call.role,
        "started_at": iso_microseconds(call.started_at),
        "duration_ms": call.duration_ms,
        "status": call.status,
        "error_code": call.error_code,
        "error_message": call.error_message,
        "served_model": call.served_model,
        "system_fingerprint": call.system_fingerprint,
        "input_tokens": call.usage.input_tokens,
        "output_tokens": call.usage.output_tokens,
    }


def latency_ms(attempt: Attempt) -> float:
    """The duration of the answering call if it was measured, otherwise of the whole attempt."""
    if attempt.timing is not None:
        return attempt.timing.duration_ms
    return (attempt.finished_at - attempt.started_at).total_seconds() * 1000


def error_text(attempt: Attempt) -> str | None:
    if attempt.outcome.is_final:
        return None
    return attempt.error_message or attempt.error_code or attempt.outcome.value
