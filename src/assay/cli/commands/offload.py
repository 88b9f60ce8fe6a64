"""`assay offload`."""

from typing import Annotated

import typer

from assay.cli import completion, options


def offload(
    run_ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN…]",
            help="Runs' ids, or the starts of them.",
            autocompletion=completion.run_ids,
        ),
    ] = None,
    *,
    older_than: Annotated[
        str | None, typer.Option(metavar="AGE", help="All runs that ended longer ago, such as 26w or 180d.")
    ] = None,
    restore: Annotated[bool, typer.Option("--restore", help="Bring these runs back.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be moved, and what it frees.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Move the items of old runs out of the database into files, or back."""
    from assay.cli.actions.offload_runs import WantedMove, move_runs
    from assay.cli.event_loop import run_async

    wanted = WantedMove(tuple(run_ids or ()), older_than, is_back=restore, is_dry=dry_run)
    run_async(move_runs(wanted, as_json=json))
