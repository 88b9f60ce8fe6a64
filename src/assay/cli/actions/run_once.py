"""Executes one run in this process, with progress on the terminal."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import typer

from assay.bootstrap import opened_engine, opened_queue
from assay.cli.event_loop import only_executor, run_async, run_until_stopped
from assay.cli.exit_codes import EXIT_FAILED, EXIT_WARNING
from assay.cli.output.documents import run_document
from assay.cli.output.print_estimate import print_estimate
from assay.cli.output.print_race import print_race, race_member
from assay.cli.output.print_run import print_comparison, print_run
from assay.cli.output.progress import Tally, live_progress
from assay.cli.output.run_report import run_report
from assay.cli.output.sandbox_notes import check_sandbox
from assay.cli.output.write import write_json, write_note
from assay.domain.errors import ConflictError
from assay.domain.run import Budget, Description, Evaluation, EvaluationId, Run, RunId, RunSpec, State
from assay.domain.summary import result_warnings
from assay.engine.execution import control
from assay.engine.execution.create import create_run, price_snapshot, priced_judging
from assay.engine.execution.engine import Engine
from assay.engine.execution.lifecycle import RunLifecycle
from assay.engine.execution.run_loop import execute_run
from assay.engine.execution.shards import Observer
from assay.engine.fleet.liveness import is_alive, models_without_worker, shown_as_executed
from assay.engine.planning.estimate import estimates
from assay.engine.results.compare import compare, model_pairs
from assay.engine.results.race_report import race_report
from assay.engine.stores import Stores
from assay.engine.stores.fleet import FleetStore
from assay.engine.tasks import uninterrupted
from assay.settings import Settings, load_settings

ShowProgress = Callable[
    [Sequence[Evaluation], Mapping[EvaluationId, Tally]], AbstractContextManager[Observer]
]
"""Shows finished attempts while the block runs; it gets those that are stored already."""

Reopen = Callable[[RunLifecycle, RunId], Awaitable[Run]]
"""One of `control.resume`, `requeue` and `retry_missing`."""


def execute(spec: RunSpec, description: Description, *, fail_on_error: float | None, as_json: bool) -> None:
    """Create a run and execute it to its end."""
    settings = load_settings()

    async def work() -> int:
        async with opened_engine(settings) as engine:
            resolved = await engine.planner.resolved(spec)
            await check_sandbox(engine, resolved)
            run = await create_run(engine, resolved, description=description)
            run = await executed(engine, settings, run, as_json=as_json)
            return await _exit_code(engine, run, fail_on_error)

    raise typer.Exit(run_until_stopped(work()))


def submit(spec: RunSpec, description: Description, *, as_json: bool) -> None:
    """Queue a run for whichever worker of the installation takes it."""
    settings = load_settings()

    async def work() -> None:
        async with opened_engine(settings, is_shared=True) as engine:
            run = await create_run(engine, spec, description=description)
            if as_json:
                write_json(run_document(await run_report(engine.stores, run.id)))
            else:
                write_note(f"run {run.id} is queued; watch it with: assay show {run.id[:8]}")
            await note_missing_workers(engine.stores.fleet, run)

    run_async(work())


def resume(run_id: str, *, budget: Budget | None, fail_on_error: float | None, as_json: bool) -> None:
    """Execute what is missing of a stored run; one that failed or was canceled is opened again."""
    settings = load_settings()

    async def work() -> int:
        async with opened_engine(settings) as engine:
            run = await engine.stores.runs.get(run_id)
            if run.state is State.SUCCEEDED:
                typer.echo(f"run {run.id[:8]} has succeeded already: nothing is missing", err=True)
                await _print(engine, run, as_json=as_json)
                return await _exit_code(engine, run, fail_on_error)
            await require_not_running(engine, run)
            if run.spec.files:
                # Before anything of the run changes: a file that is not what it was is put back, and no more.
                await engine.planner.benchmarks(run.spec)
            if budget is not None:
                await control.set_budget(engine.stores.runs, run.id, budget)
            reopen = control.requeue if run.state.is_final else control.resume
            run = await executed(engine, settings, run, as_json=as_json, reopen=reopen)
            return await _exit_code(engine, run, fail_on_error)

    raise typer.Exit(run_until_stopped(work()))


async def note_missing_workers(fleet: FleetStore, run: Run) -> None:
    """Say so where nobody is up to execute what was queued."""
    models = models_without_worker(run, await fleet.workers())
    if models:
        write_note(
            f"no worker is up for {', '.join(models)}: the run waits until one is started with `assay up` or"
            " `assay worker`",
            err=True,
        )


async def require_not_running(engine: Engine, run: Run) -> None:
    """Raise ConflictError while a worker of the service executes the run."""
    shards = {shard.id for shard in await engine.stores.shards.list(run.id)}
    for worker in await engine.stores.fleet.workers():
        if is_alive(worker) and shards & set(worker.running):
            raise ConflictError(f"run {run.id[:8]!r} is being executed by worker {worker.id!r}")


def dry(spec: RunSpec, *, as_json: bool, all_prompts: bool = False) -> None:
    """Show what would be sent and what it would cost."""
    settings = load_settings()

    async def work() -> None:
        async with opened_engine(settings) as engine:
            await dry_in(engine, spec, as_json=as_json, all_prompts=all_prompts)

    run_async(work())


async def dry_in(engine: Engine, spec: RunSpec, *, as_json: bool, all_prompts: bool = False) -> None:
    planned = await engine.planner.plan(await engine.planner.resolved(spec))
    prices = await price_snapshot(spec, engine.models, engine.stores.registry)
    judging = await priced_judging(spec, spec.judge, engine.models, engine.stores.registry)
    found = estimates(planned, samples=spec.samples, prices=prices, judging=judging)
    print_estimate(planned, found, as_json=as_json, all_prompts=all_prompts)


async def executed(
    engine: Engine, settings: Settings, run: Run, *, as_json: bool, reopen: Reopen | None = None
) -> Run:
    """Execute the run in this process and print its result."""
    run = await execute_here(engine, settings, run, quiet=as_json, reopen=reopen)
    await _print(engine, run, as_json=as_json)
    return run


async def execute_here(
    engine: Engine,
    settings: Settings,
    run: Run,
    *,
    quiet: bool,
    reopen: Reopen | None = None,
    show: ShowProgress | None = None,
    how_to_resume: str = "assay resume {run}",
) -> Run:
    """Show the progress unless `quiet`; `reopen` queues what a stored run still needs.

    `show` shows the progress in another way.
    """
    if not quiet:
        typer.echo(f"run {run.id}", err=True)
    with only_executor(settings.assay_home, run.id):
        try:
            async with shown_as_executed(
                engine.stores.fleet,
                run.id,
                clock=engine.clock,
                every_s=settings.worker_heartbeat_seconds,
            ):
                if reopen is not None:
                    await _reopen_here(engine, settings, run, reopen)
                evaluations = await engine.stores.runs.evaluations(run.id)
                done = await attempts_done(engine.stores, run, evaluations)
                shown = show(evaluations, done) if show else live_progress(evaluations, done, quiet=quiet)
                with shown as observer:
                    run = await execute_run(engine, run.id, observer=observer)
        except asyncio.CancelledError:
            await uninterrupted(_pause(engine, run, how_to_resume))
            raise
    return run


async def _reopen_here(engine: Engine, settings: Settings, run: Run, reopen: Reopen) -> None:
    """Queue for this process what is to be done, and for no worker: they may not have the keys it has."""
    async with opened_queue(settings, is_shared=True) as queue:
        await replace(engine.lifecycle, queue=queue).withdraw_shards(run.id)
    await reopen(engine.lifecycle, run.id)


async def attempts_done(
    stores: Stores, run: Run, evaluations: Sequence[Evaluation]
) -> dict[EvaluationId, Tally]:
    """The attempts that are stored and are not repeated."""
    repeated = await control.repeated_attempts(stores.shards, stores.attempts, run, evaluations)
    done = {one.id: Tally() for one in evaluations}
    for one in evaluations:
        async for attempt in stores.attempts.results(one.id):
            if attempt.key not in repeated[one.id]:
                done[one.id].add(attempt)
    return done


async def _pause(engine: Engine, run: Run, how_to_resume: str) -> None:
    await engine.lifecycle.pause_run(run.id, reason="stopped by Ctrl-C or SIGTERM")
    state = (await engine.stores.runs.get(run.id)).state
    command = f"; go on with: {how_to_resume.format(run=run.id[:8])}" if state is State.PAUSED else ""
    typer.echo(f"run {run.id[:8]} is {state.value}{command}", err=True)


async def _print(engine: Engine, run: Run, *, as_json: bool) -> None:
    report = await run_report(engine.stores, run.id)
    race = await race_report(engine.stores, report.run)
    if as_json:
        write_json(run_document(report) | race_member(run, race))
        return
    if not any(one.summary and one.summary.outcomes for one in report.evaluations):
        # Nothing was answered: there is an error to show and no score.
        write_note(f"error: {run.error}", err=True)
        return
    print_run(report)
    if race is not None:
        print_race(race)
        return
    scored = [one for one in report.evaluations if one.summary and one.summary.score]
    print_comparison(await compare(engine.stores.attempts, model_pairs(scored)))


async def _exit_code(engine: Engine, run: Run, fail_on_error: float | None) -> int:
    if run.state is not State.SUCCEEDED:
        return EXIT_FAILED
    return doubtful_exit_code(await engine.stores.runs.evaluations(run.id), fail_on_error)


def doubtful_exit_code(evaluations: Sequence[Evaluation], fail_on_error: float | None) -> int:
    """As `--fail-on-error` says."""
    if fail_on_error is None:
        return 0
    summaries = [one.summary for one in evaluations]
    is_doubtful = any(
        one and result_warnings(one.outcomes, cut=one.cut, error_share=fail_on_error) for one in summaries
    )
    return EXIT_WARNING if is_doubtful else 0
