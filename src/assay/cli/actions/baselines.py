"""A race of new models against the stored answers of another run."""

from collections.abc import Sequence
from dataclasses import replace

from assay.cli.event_loop import run_async
from assay.domain.errors import InvalidValueError
from assay.domain.run import Budget, ModelEndpoint, Run, RunSpec
from assay.domain.stopping import StopRule
from assay.installation import opened_stores
from assay.settings import load_settings


def against_baseline(
    run_id: str, candidates: Sequence[str], benchmarks: Sequence[str], rule: StopRule, own: ModelEndpoint
) -> RunSpec:
    """What the stored run asked, of its model and the candidates; `own` is where these are called."""
    run = run_async(_stored(run_id))
    spec, model = run.spec, _only_model(run)
    if model in candidates:
        raise InvalidValueError(
            f"{model!r} is the model of run {run.id[:8]!r} itself: serve the new one under another name"
        )
    return replace(
        spec,
        models=(model, *candidates),
        benchmarks=_chosen(run, benchmarks),
        endpoints={model: spec.endpoint_of(model), **dict.fromkeys(candidates, own)},
        base_url=None,
        price=None,
        max_connections=None,
        budget=Budget(),
        credential=None,
        priority=0,
        labels={},
        warmup=0,
        reuse=False,
        stop=rule,
        baseline=run.id,
    )


async def _stored(run_id: str) -> Run:
    async with opened_stores(load_settings()) as stores:
        return await stores.runs.get(run_id)


def _only_model(run: Run) -> str:
    model, *others = run.spec.models
    if others:
        raise InvalidValueError(
            f"run {run.id[:8]!r} is of {len(others) + 1} models; a baseline is a run of one"
        )
    return model


def _chosen(run: Run, names: Sequence[str]) -> tuple[str, ...]:
    """The benchmarks of the run with these names, or all; a data set may be named without its version."""
    held = run.spec.benchmarks
    found = {name: [one for one in held if one == name or one.startswith(f"{name}@")] for name in names}
    if missing := [name for name in names if not found[name]]:
        raise InvalidValueError(
            f"run {run.id[:8]!r} has no evaluation of {missing[0]!r}; it has {', '.join(held)}"
        )
    return tuple(dict.fromkeys(one for same in found.values() for one in same)) or held
