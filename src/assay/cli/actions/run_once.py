"""Executes one run in this process, with progress on the terminal."""

import typer

from assay.bootstrap import opened_engine
from assay.cli.event_loop import only_executor, run_async
from assay.cli.output.documents import run_document
from assay.cli.output.print_estimate import print_estimate
from assay.cli.output.print_run import print_comparison, print_run
from assay.cli.output.progress import live_progress
from assay.cli.output.sandbox_notes import check_sandbox
from assay.cli.output.write import write_json
from assay.domain.errors import ConflictError
from assay.domain.run import Budget, Run, RunId, RunSpec, State
from assay.engine.execution.control import set_budget
from assay.engine.execution.create import create_run, price_snapshot, priced_judging
from assay.engine.execution.engine import Engine
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.estimate import estimates
from assay.engine.results.compare import compare, model_pairs
from assay.settings import Settings, load_settings


def execute(spec: RunSpec, *, as_json: bool) -> None:
    """Create a run and execute it to its end."""
    settings = load_settings()

    async def work() -> Run:
        async with opened_engine(settings) as engine:
            await check_sandbox(engine, spec)
            run = await create_run(engine, spec)
            return await _execute(engine, settings, run, as_json=as_json, is_new=True)

    _exit_as(run_async(work()))


def submit(spec: RunSpec, *, as_json: bool) -> None:
    """Queue a run for whichever worker of the installation takes it."""
    settings = load_settings()

    async def work() -> None:
        async with opened_engine(settings, is_shared=True) as engine:
            run = await create_run(engine, spec)
            if as_json:
                write_json(run_document(run, await engine.stores.runs.evaluations(run.id)))
            else:
                typer.echo(f"run {run.id} is queued; watch it with: assay show {run.id[:8]}")

    run_async(work())


def resume(run_id: str, *, budget: Budget | None, as_json: bool) -> None:
    """Execute what is missing of a stored run."""
    settings = load_settings()

    async def work() -> Run:
        async with opened_engine(settings) as engine:
            run = await engine.stores.runs.get(run_id)
            if run.state is State.SUCCEEDED:
                typer.echo(f"run {run.id[:8]} has succeeded already: nothing is missing", err=True)
                await _print(engine, run, as_json=as_json)
                return run
            await _require_not_running(engine, run)
            if budget is not None:
                await set_budget(engine.stores.runs, run.id, budget)
            return await _execute(engine, settings, run, as_json=as_json)

    _exit_as(run_async(work()))


async def _require_not_running(engine: Engine, run: Run) -> None:
    """Raise ConflictError while a worker of the service executes the run."""
    shards = {shard.id for shard in await engine.stores.shards.list(run.id)}
    for worker in await engine.stores.fleet.workers():
        if shards & set(worker.running):
            raise ConflictError(f"run {run.id[:8]!r} is being executed by worker {worker.id!r}")


def dry(spec: RunSpec, *, as_json: bool) -> None:
    """Show what would be sent and what it would cost."""
    settings = load_settings()

    async def work() -> None:
        async with opened_engine(settings) as engine:
            planned = await engine.planner.plan(await engine.planner.with_dataset_versions(spec))
            prices = await price_snapshot(spec, engine.models, engine.stores.registry)
            judging = await priced_judging(spec, engine.models, engine.stores.registry)
            found = estimates(planned, samples=spec.samples, prices=prices, judging=judging)
            print_estimate(planned, found, as_json=as_json)

    run_async(work())


async def _execute(
    engine: Engine, settings: Settings, run: Run, *, as_json: bool, is_new: bool = False
) -> Run:
    if not as_json:
        typer.echo(f"run {run.id}", err=True)
    with only_executor(settings.assay_home, run.id):
        evaluations = await engine.stores.runs.evaluations(run.id)
        stored = {one.id: len(await engine.stores.attempts.keys(one.id)) for one in evaluations}
        with live_progress(evaluations, stored, quiet=as_json) as observe:
            run = await execute_run(engine, RunId(run.id), observe=observe, is_new=is_new)
    await _print(engine, run, as_json=as_json)
    return run


async def _print(engine: Engine, run: Run, *, as_json: bool) -> None:
    evaluations = await engine.stores.runs.evaluations(run.id)
    if as_json:
        write_json(run_document(run, evaluations))
        return
    if not any(one.summary and one.summary.outcomes for one in evaluations):
        # Nothing was answered: there is an error to show and no score.
        typer.echo(f"error: {run.error}", err=True)
        return
    print_run(run, evaluations)
    scored = [one for one in evaluations if one.summary and one.summary.score]
    print_comparison(await compare(engine.stores.attempts, model_pairs(scored)))


def _exit_as(run: Run) -> None:
    if run.state is not State.SUCCEEDED:
        raise typer.Exit(1)
