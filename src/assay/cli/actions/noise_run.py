"""Asks a model the same several times, or takes a stored run, and reports its noise."""

from assay.api.schemas.results.noise import Noise
from assay.bootstrap import opened_engine
from assay.cli.actions.run_once import execute_here
from assay.cli.event_loop import run_async, run_until_stopped
from assay.cli.exit_codes import EXIT_FAILED
from assay.cli.output.print_noise import print_noise
from assay.cli.output.sandbox_notes import check_sandbox
from assay.cli.output.write import write_json
from assay.domain.run import Description, Run, RunSpec, State
from assay.engine.execution.create import create_run
from assay.engine.results.noise import noise_reports
from assay.engine.stores import Stores
from assay.installation import opened_stores
from assay.settings import load_settings


def run_and_report(spec: RunSpec, description: Description, *, as_json: bool) -> int:
    """The exit code."""
    settings = load_settings()

    async def work() -> int:
        async with opened_engine(settings) as engine:
            resolved = await engine.planner.resolved(spec)
            await check_sandbox(engine, resolved)
            run = await create_run(engine, resolved, description=description)
            run = await execute_here(engine, settings, run, quiet=as_json)
            return await _reported(engine.stores, run, as_json=as_json)

    return run_until_stopped(work())


def report_stored(run_id: str, *, as_json: bool) -> int:
    """The exit code."""

    async def work() -> int:
        async with opened_stores(load_settings()) as stores:
            return await _reported(stores, await stores.runs.get(run_id), as_json=as_json)

    return run_async(work())


async def _reported(stores: Stores, run: Run, *, as_json: bool) -> int:
    reports = await noise_reports(stores, run)
    if as_json:
        write_json(Noise.of(run, reports).model_dump(mode="json"))
    else:
        print_noise(run, reports)
    return 0 if run.state is State.SUCCEEDED else EXIT_FAILED
