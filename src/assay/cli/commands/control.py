"""`assay cancel`, `pause`, `retry`, `requeue` and `tune`: what can be done to a live run."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import options

if TYPE_CHECKING:
    from assay.domain.run import Run, RunId
    from assay.engine.execution.lifecycle import RunLifecycle


def cancel(run_id: options.Run, *, json: options.Json = False) -> None:
    """End a run for good; what is stored stays."""
    from assay.engine.execution import control

    _do(run_id, control.cancel, action="cancel", as_json=json)


def pause(run_id: options.Run, *, json: options.Json = False) -> None:
    """Hold a run until it is resumed."""
    from assay.engine.execution import control

    _do(run_id, control.pause, action="pause", as_json=json)


def retry(run_id: options.Run, *, json: options.Json = False) -> None:
    """Queue again the attempts that ended without a verdict, for the service's workers."""
    from assay.engine.execution import control

    _do(run_id, control.retry_missing, action="retry", as_json=json, is_for_workers=True)


def requeue(run_id: options.Run, *, json: options.Json = False) -> None:
    """Queue a failed or canceled run again, for the service's workers."""
    from assay.engine.execution import control

    _do(run_id, control.requeue, action="requeue", as_json=json, is_for_workers=True)


def tune(
    run_id: options.Run,
    *,
    priority: Annotated[int | None, typer.Option(help="Lower runs first.")] = None,
    max_connections: Annotated[
        int | None, typer.Option(help="Most calls to an endpoint at once; 0 for the default.", min=0)
    ] = None,
    json: options.Json = False,
) -> None:
    """Change the priority or the pace of a live run."""
    from assay.domain.errors import InvalidValueError
    from assay.engine.execution import control

    if priority is None and max_connections is None:
        raise InvalidValueError("nothing to change: give --priority or --max-connections")

    async def change(lifecycle: "RunLifecycle", found: "RunId") -> "Run":
        control.require_not_ended(await lifecycle.runs.get(found))
        if max_connections is not None:
            await control.set_connections(lifecycle.runs, found, max_connections or "default")
        if priority is not None:
            await control.set_priority(lifecycle, found, priority)
        return await lifecycle.runs.get(found)

    _do(run_id, change, action="change", as_json=json)


def _do(
    run_id: str,
    change: "Callable[[RunLifecycle, RunId], Awaitable[Run]]",
    *,
    action: str,
    as_json: bool,
    is_for_workers: bool = False,
) -> None:
    from assay.bootstrap import opened_engine
    from assay.cli.actions.audit import note
    from assay.cli.actions.run_once import note_missing_workers
    from assay.cli.event_loop import run_async
    from assay.cli.output.documents import run_document
    from assay.cli.output.run_report import run_report
    from assay.cli.output.write import write_json, write_note
    from assay.settings import load_settings

    async def work() -> None:
        async with opened_engine(load_settings(), is_shared=True) as engine:
            run = await change(engine.lifecycle, (await engine.stores.runs.get(run_id)).id)
            await note(engine.stores, f"{action}_run", run.id)
            if is_for_workers:
                write_note(
                    "the service's workers execute it, with their own keys;"
                    f" to execute it in this terminal: assay resume {run.id[:8]}",
                    err=True,
                )
                await note_missing_workers(engine.stores.fleet, run)
            report = await run_report(engine.stores, run.id) if as_json else None
        if report is not None:
            write_json(run_document(report))
        else:
            typer.echo(f"run {run.id[:8]} is {run.state.value}")

    run_async(work())
