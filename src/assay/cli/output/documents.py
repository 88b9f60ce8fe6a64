"""The JSON objects the commands print."""

from collections.abc import Mapping
from dataclasses import asdict

from assay.cli.output.run_report import RunReport
from assay.domain.run import Evaluation
from assay.domain.stats import Estimate
from assay.domain.summary import Summary
from assay.engine.results.compare import Comparison
from assay.engine.results.sequential import SequentialComparison


def run_document(report: RunReport) -> dict[str, object]:
    run = report.run
    return {
        "run_id": run.id,
        "status": run.state.value,
        "is_interrupted": report.stored.is_interrupted,
        "error": run.error,
        "data": run.spec.data,
        "items": list(run.spec.items),
        "files": {name: asdict(file) for name, file in run.spec.files.items()},
        "name": run.description.name,
        "tags": list(run.description.tags),
        "note": run.description.note,
        "is_archived": run.description.is_archived,
        "offloaded_at": run.offloaded_at,
        "visibility": run.description.visibility.value,
        "created_at": run.created_at,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "evaluations": [reported_document(report, one) for one in report.evaluations],
    }


def reported_document(report: RunReport, evaluation: Evaluation) -> dict[str, object]:
    """The evaluation, with the counts of what is stored so far."""
    outcomes = report.outcomes(evaluation)
    return evaluation_document(evaluation) | {
        "completed": sum(outcomes.values()),
        "outcomes": {outcome.value: count for outcome, count in outcomes.items()},
        "errors": [asdict(kind) for kind in report.errors.get(evaluation.id, ())],
    }


def evaluation_document(evaluation: Evaluation) -> dict[str, object]:
    identity: dict[str, object] = {
        "model": evaluation.model,
        "benchmark": evaluation.benchmark,
        "version": evaluation.benchmark_version,
        "status": evaluation.state.value,
        "error": evaluation.error,
        "endpoint": evaluation.endpoint,
        "fingerprint": evaluation.fingerprint.value,
        "data": {
            "revision": evaluation.fingerprint.data_revision,
            "checksum": evaluation.fingerprint.data_checksum,
        },
        "generation": evaluation.generation.to_json(),
        "samples": evaluation.samples,
        "judge": evaluation.fingerprint.judge,
        "agent": evaluation.fingerprint.agent,
    }
    return identity | summary_document(evaluation.summary, total=evaluation.total_attempts)


def summary_document(summary: Summary | None, *, total: int) -> dict[str, object]:
    if summary is None:
        return {
            "score": None,
            "interval": None,
            "scored": 0,
            "total": total,
            "outcomes": {},
            "warnings": [],
            "metrics": {},
            "tokens": None,
            "cost_usd": None,
        }
    return {
        **_estimate_document(summary.score),
        "scored": summary.scored,
        "total": summary.total,
        "bounds": asdict(summary.bounds) if summary.bounds else None,
        "outcomes": {outcome.value: count for outcome, count in summary.outcomes.items()},
        "warnings": [asdict(one) for one in summary.warnings],
        "truncated_share": summary.cut / summary.scored if summary.scored else None,
        "unparsed_share": summary.unparsed / summary.scored if summary.scored else None,
        "metrics": _estimates(summary.metrics),
        "categories": _estimates(summary.categories),
        "tokens": asdict(summary.tokens),
        "cost_usd": None if summary.cost_usd is None else float(summary.cost_usd),
        "judge_tokens": asdict(summary.judge_tokens) if summary.judge_tokens else None,
        "judge_cost_usd": None if summary.judge_cost_usd is None else float(summary.judge_cost_usd),
        "agreement": asdict(summary.agreement) if summary.agreement else None,
        "retried": summary.retried,
        "reused": summary.reused,
        "with_logprobs": summary.with_logprobs,
        "latency": summary.latency,
        "duration_s": summary.duration_s,
        "stopped": asdict(summary.stopped) if summary.stopped else None,
    }


def _estimates(estimates: Mapping[str, Estimate]) -> dict[str, object]:
    return {
        name: {"value" if key == "score" else key: value for key, value in _estimate_document(one).items()}
        for name, one in estimates.items()
    }


def _estimate_document(estimate: Estimate | None) -> dict[str, object]:
    if estimate is None:
        return {"score": None, "interval": None, "standard_error": None, "n": 0}
    interval = estimate.interval
    return {
        "score": estimate.value,
        "interval": interval
        and {
            "low": interval.low,
            "high": interval.high,
            "method": interval.method.value,
            "level": interval.level,
        },
        "standard_error": estimate.standard_error,
        "n": estimate.n,
    }


def sequential_document(comparison: SequentialComparison) -> dict[str, object]:
    return {
        "benchmark": comparison.ours.benchmark,
        "ours": {"model": comparison.ours.model, "run_id": comparison.ours.run_id},
        "theirs": {"model": comparison.theirs.model, "run_id": comparison.theirs.run_id},
        "sentence": comparison.sentence,
        "verdict": comparison.verdict.value,
        "decided_after": comparison.decided_after,
        "asked": comparison.asked,
        "items": comparison.items,
        "missing": comparison.missing,
        "sequence": [
            {"items": one.items, "low": one.limits.low, "high": one.limits.high}
            for one in comparison.sequence
        ],
    }


def comparison_document(comparison: Comparison) -> dict[str, object]:
    result = comparison.result
    return {
        "benchmark": comparison.ours.benchmark,
        "ours": {"model": comparison.ours.model, "run_id": comparison.ours.run_id},
        "theirs": {"model": comparison.theirs.model, "run_id": comparison.theirs.run_id},
        "comparable": not comparison.differing,
        "differing": list(comparison.differing),
        "sentence": comparison.sentence,
        "verdict": result and result.verdict.value,
        "difference": result and result.difference,
        "interval": result and asdict(result.interval),
        "p_value": result and result.p_value,
        "adjusted_p": result and result.adjusted_p,
        "test": result and result.test.value,
        "wins": result and result.wins,
        "losses": result and result.losses,
        "ties": result and result.ties,
        "n": result and result.n,
        "noise_floor": comparison.noise_floor,
        "correlation": result and result.correlation,
        "minimum_detectable_effect": result and result.minimum_detectable_effect,
    }
