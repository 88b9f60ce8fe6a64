"""The header of an Inspect log: what was run, and the results."""

from datetime import UTC, datetime
from math import ceil

from assay.domain.run import State
from assay.domain.stats import Estimate
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.documents import data_source
from assay.engine.exports.figures import Object

SCORER = "assay"
_LOG_VERSION = 2
# Settings under Inspect's names.
_INSPECT_NAMES = {
    "system": "system_message",
    "options": "extra_body",
    "timeout_s": "timeout",
    "retries": "max_retries",
}
_STATUS = {State.SUCCEEDED: "success", State.FAILED: "error"}


def iso(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def header(content: RunContent, one: EvaluationContent) -> Object:
    run, evaluation = content.run, one.evaluation
    began = evaluation.started_at or run.created_at
    status = _STATUS.get(evaluation.state, "cancelled")
    document: Object = {
        "version": _LOG_VERSION,
        "status": status,
        "eval": _spec(content, one),
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {}},
        "results": _results(one),
        "stats": {
            "started_at": iso(began),
            "completed_at": iso(evaluation.finished_at or began),
            "model_usage": _usage(one),
        },
    }
    if status == "error":
        message = evaluation.error or "the evaluation failed"
        document["error"] = {"message": message, "traceback": message, "traceback_ansi": message}
    return document


def _spec(content: RunContent, one: EvaluationContent) -> Object:
    run, evaluation, card = content.run, one.evaluation, one.card
    generation: Object = dict(evaluation.generation.given)
    if "stop" in generation:
        generation["stop_seqs"] = generation.pop("stop")
    for ours, theirs in _INSPECT_NAMES.items():
        if ours in generation:
            generation[theirs] = generation.pop(ours)
    if evaluation.generation.timeout_s is not None:
        generation["timeout"] = ceil(evaluation.generation.timeout_s)  # in whole seconds there
    return {
        "eval_id": evaluation.id,
        "run_id": run.id,
        "created": iso(run.created_at),
        "task": evaluation.benchmark,
        "task_id": evaluation.id,
        "task_version": evaluation.benchmark_version,
        "task_attribs": {},
        "task_args": {},
        "dataset": {
            "name": card.source.repository if card else evaluation.benchmark,
            "location": data_source(run.spec.data),
            "samples": len(evaluation.item_ids),
            "sample_ids": evaluation.item_ids,
            "shuffled": True,
        },
        "model": evaluation.model,
        "model_base_url": evaluation.endpoint,
        "model_generate_config": generation,
        "model_args": {},
        "config": {"epochs": evaluation.samples, "epochs_reducer": ["mean"], "log_samples": True},
        "packages": {"assay": run.code_version or "unknown"},
        "metadata": {
            "fingerprint": evaluation.fingerprint.value,
            "git_sha": run.git_sha,
            "judge": evaluation.fingerprint.judge,
            "run_status": run.state.value,
        },
        "scorers": [{"name": SCORER, "options": {}, "metrics": [{"name": "mean", "options": {}}]}],
    }


def _results(one: EvaluationContent) -> Object:
    summary = one.summary
    metrics: Object = {}
    if summary.score is not None:
        metrics["mean"] = _metric("mean", summary.score.value)
        if summary.score.standard_error is not None:
            metrics["stderr"] = _metric("stderr", summary.score.standard_error)
        metrics |= _interval(summary.score)
    metrics |= {name: _metric(name, estimate.value) for name, estimate in summary.metrics.items()}
    score: Object = {
        "name": SCORER,
        "scorer": SCORER,
        "params": {},
        "scored_samples": summary.scored,
        "unscored_samples": summary.total - summary.scored,
        "metrics": metrics,
    }
    return {
        "total_samples": summary.total,
        "completed_samples": one.completed,
        "scores": [score] if metrics else [],
    }


def _interval(estimate: Estimate) -> Object:
    interval = estimate.interval
    if interval is None:
        return {}
    return {"ci_low": _metric("ci_low", interval.low), "ci_high": _metric("ci_high", interval.high)}


def _metric(name: str, value: float) -> Object:
    return {"name": name, "value": value, "params": {}}


def _usage(one: EvaluationContent) -> Object:
    tokens = one.summary.tokens
    usage: Object = {
        "input_tokens": tokens.input,
        "output_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "reasoning_tokens": tokens.reasoning,
    }
    return {one.evaluation.model: usage}
