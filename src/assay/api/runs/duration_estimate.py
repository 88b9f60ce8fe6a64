"""Estimates the duration of a run from earlier runs of the same models and benchmarks."""

from collections.abc import Sequence

from assay.api.schemas.fields import Seconds
from assay.engine.fleet.queue_estimate import Rate, measured_rate
from assay.engine.planning.estimate import Estimate
from assay.engine.stores.runs import RunFilter, RunStore

_RUNS_READ = 20


async def expected_duration(runs: RunStore, estimates: Sequence[Estimate]) -> Seconds | None:
    """None if a model was never measured on a benchmark.

    The lower bound assumes that all evaluations run in parallel, the upper one that they run in sequence.
    """
    spans: list[Seconds] = []
    for one in estimates:
        rate = await _past_rate(runs, model=one.model, benchmark=one.benchmark)
        if rate is None:
            return None
        spans.append(Seconds(low=one.attempts / rate.high, high=one.attempts / rate.low))
    if not spans:
        return None
    return Seconds(low=max(span.low for span in spans), high=sum(span.high for span in spans))


async def _past_rate(runs: RunStore, *, model: str, benchmark: str) -> Rate | None:
    page = await runs.page(RunFilter(model=model, benchmark=benchmark, limit=_RUNS_READ))
    attempts, seconds = 0, 0.0
    for evaluations in (await runs.evaluations_of([run.id for run in page.runs])).values():
        for one in evaluations:
            found = one.summary
            if one.model == model and one.benchmark == benchmark and found and found.duration_s:
                attempts += found.scored
                seconds += found.duration_s
    return measured_rate(attempts, seconds)
