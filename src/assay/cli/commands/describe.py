"""`assay describe`."""

from typing import Annotated

import typer

from assay.cli import options
from assay.domain.access.visibility import Visibility


def describe(
    run_id: options.Run,
    *,
    name: Annotated[str | None, typer.Option(help="What you call the run; '' for no name.")] = None,
    note: Annotated[
        str | None, typer.Option(help="What you want to remember about it; '' for nothing.")
    ] = None,
    visibility: Annotated[
        Visibility | None,
        typer.Option(help="Who sees it: owner and admins, everybody who is let in, or whoever asks."),
    ] = None,
    tag: options.Tag = None,
    untag: Annotated[
        list[str] | None, typer.Option(help="A tag to take away; may be given several times.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Give a run a name, tags or a note, or say who sees it."""
    from assay.cli.actions import audit
    from assay.cli.event_loop import run_async
    from assay.cli.output.documents import run_document
    from assay.cli.output.print_run import print_description
    from assay.cli.output.run_report import run_report
    from assay.cli.output.write import write_json
    from assay.domain.errors import InvalidValueError
    from assay.domain.run import Description
    from assay.installation import opened_stores
    from assay.settings import load_settings

    if name is None and note is None and visibility is None and not tag and not untag:
        raise InvalidValueError("nothing to change: give --name, --note, --visibility, --tag or --untag")

    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            run = await stores.runs.get(run_id)
            before = run.description
            said = Description.of(
                before.name if name is None else name,
                before.note if note is None else note,
                {*before.tags, *(tag or ())} - {*(untag or ())},
                is_archived=before.is_archived,
                visibility=visibility or before.visibility,
            )
            run = await stores.runs.describe(run.id, said)
            if visibility is not None:
                await audit.note(stores, "change_run", f"{run.id} visibility={visibility.value}")
            report = await run_report(stores, run.id)
        if json:
            write_json(run_document(report))
        else:
            typer.echo(f"run {run.id[:8]}")
            print_description(run)

    run_async(work())
