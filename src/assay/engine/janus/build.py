"""Makes the report of a run that `janus-bench` started, from what is stored."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal

from assay.domain.composite import Composite, Part
from assay.domain.run import Evaluation, Run
from assay.engine.janus.report import BenchmarkReport, TaskResult, composite_report
from assay.engine.janus.tasks import task_result
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.composite import ModelComposite, composites
from assay.engine.results.part_values import GENERIC_SCALE, JANUS_SCALE
from assay.engine.stores import Stores

PASSING = 0.5


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """What the report says that the run does not."""

    suite: str
    target_url: str
    model: str
    ttft_limit_s: float


async def benchmark_report(
    stores: Stores, run: Run, *, facts: ReportFacts, catalogue: Catalogue
) -> BenchmarkReport:
    """Of a run with one model."""
    evaluations = await stores.runs.evaluations(run.id)
    [found] = await composites(
        evaluations, rule=run.spec.composite, attempts=stores.attempts, catalogue=catalogue
    )
    results = [
        task
        for one in evaluations
        for task in await _tasks(stores, one, is_janus=found.is_janus, ttft_limit_s=facts.ttft_limit_s)
    ]
    return _report(run, evaluations, found, results, facts)


async def _tasks(
    stores: Stores, evaluation: Evaluation, *, is_janus: bool, ttft_limit_s: float
) -> list[TaskResult]:
    stored = await stores.runs.item_facts(evaluation.id)
    kinds = {item_id: one.category or "" for item_id, one in zip(evaluation.item_ids, stored, strict=False)}
    scale = JANUS_SCALE if is_janus else GENERIC_SCALE
    return [
        task_result(
            attempt, evaluation, kind=kinds.get(attempt.item_id, ""), scale=scale, ttft_limit_s=ttft_limit_s
        )
        async for attempt in stores.attempts.whole(evaluation.id)
    ]


def _report(
    run: Run,
    evaluations: Sequence[Evaluation],
    found: ModelComposite,
    results: Sequence[TaskResult],
    facts: ReportFacts,
) -> BenchmarkReport:
    total = found.composite
    passed = sum(one.quality_score is not None and one.quality_score >= PASSING for one in results)
    latencies = [one.latency_seconds for one in results if one.success]
    streams = [one.streaming_metrics for one in results if one.streaming_metrics is not None]
    costs = [one.summary.cost_usd if one.summary else None for one in evaluations]
    asked = sum(one.total_attempts for one in evaluations)
    return BenchmarkReport(
        run_id=run.id[:8],
        suite=facts.suite,
        target_url=facts.target_url,
        model=facts.model,
        started_at=run.started_at or run.created_at,
        completed_at=run.finished_at,
        composite_score=total.value,
        quality_score=_points(total, Part.QUALITY),
        speed_score=_points(total, Part.SPEED),
        cost_score=_points(total, Part.COST),
        streaming_score=_points(total, Part.STREAMING),
        multimodal_score=_points(total, Part.MULTIMODAL),
        total_tasks=asked,
        passed_tasks=passed,
        failed_tasks=asked - passed,
        avg_latency_seconds=_of(statistics.fmean, latencies),
        p50_latency_seconds=_of(statistics.median, latencies),
        avg_ttft_seconds=_of(statistics.fmean, [one.ttft_seconds for one in streams]),
        max_gap_seconds=_of(max, [one.max_gap_seconds for one in streams]),
        total_tokens=_sum([one.total_tokens for one in results if one.success]),
        total_cost_usd=None if None in costs else float(sum((one for one in costs if one), Decimal(0))),
        results=results,
        weights=asdict(run.spec.composite.weights),
        benchmark_scores={
            one.benchmark: one.summary.score.value if one.summary and one.summary.score else None
            for one in evaluations
        },
        benchmark_metrics=found.measures,
        composite=composite_report(total),
        assay_run_id=run.id,
        assay_version=run.code_version,
    )


def _points(found: Composite, part: Part) -> float | None:
    value = found.parts[part].value
    return None if value is None else 100 * value


def _of(figure: Callable[[list[float]], float], values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return figure(known) if known else None


def _sum(counts: Sequence[int | None]) -> int | None:
    return None if None in counts else sum(count or 0 for count in counts)
