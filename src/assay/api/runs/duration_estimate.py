"""How long a run would take, from how long the same took before."""

from collections.abc import Sequence

from assay.api.schemas.overview import Seconds
from assay.engine.fleet.queue_estimate import Rate, measured_rate
from assay.engine.planning.estimate import Estimate
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter

_RUNS_ASKED = 20


async def expected_duration(stores: Stores, estimates: Sequence[Estimate]) -> Seconds | None:
    """None where a model was never measured on a benchmark.

    At best all evaluations go on side by side, at worst one after the other.
    """
    spans: list[Seconds] = []
    for one in estimates:
        rate = await _past_rate(stores, model=one.model, benchmark=one.benchmark)
        if rate is None:
            return None
        spans.append(Seconds(low=one.attempts / rate.high, high=one.attempts / rate.low))
    if not spans:
        return None
    return Seconds(low=max(span.low for span in spans), high=sum(span.high for span in spans))


async def _past_rate(stores: Stores, *, model: str, benchmark: str) -> Rate | None:
    page = await stores.runs.list_runs(RunFilter(model=model, benchmark=benchmark, limit=_RUNS_ASKED))
    attempts, seconds = 0, 0.0
    for own in (await stores.runs.evaluations_of([run.id for run in page.runs])).values():
        for one in own:
            found = one.summary
            if one.model == model and one.benchmark == benchmark and found and found.duration_s:
                attempts += found.scored
                seconds += found.duration_s
    return measured_rate(attempts, seconds)
