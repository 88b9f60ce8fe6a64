"""`assay archive`."""

from typing import Annotated

import typer

from assay.cli import completion, options


def archive(
    run_ids: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN [RUN…]",
            help="Runs' ids, or the starts of them.",
            autocompletion=completion.run_ids,
        ),
    ],
    *,
    undo: Annotated[bool, typer.Option("--undo", help="Bring them back into lists.")] = False,
    json: options.Json = False,
) -> None:
    """Leave runs out of lists; nothing of them is deleted."""
    from dataclasses import replace

    from assay.cli.actions.audit import note
    from assay.cli.event_loop import run_async
    from assay.cli.output.write import write_json
    from assay.domain.stats import plural
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            # All are looked up first: a misspelt one changes nothing.
            found = {run.id: run for run in [await stores.runs.get(name) for name in run_ids]}
            for run in found.values():
                await stores.runs.describe(run.id, replace(run.description, is_archived=not undo))
            target = f"{'not archived' if undo else 'archived'} {' '.join(found)}"
            await note(stores, "change_run", target)
        if json:
            write_json({"is_archived": not undo, "runs": list(found)})
        else:
            typer.echo(f"{'brought back' if undo else 'archived'} {plural(len(found), 'run')}")

    run_async(work())
