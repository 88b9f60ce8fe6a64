"""`assay rm` and `assay prune`."""

from typing import Annotated

import typer

from assay.cli import completion, options


def rm(
    run_ids: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN [RUN…]",
            help="Runs' ids, or the starts of them.",
            autocompletion=completion.run_ids,
        ),
    ],
    *,
    json: options.Json = False,
) -> None:
    """Delete runs for good, with all that was stored for them."""
    from assay.cli.actions.remove_runs import remove_named
    from assay.cli.event_loop import run_async

    run_async(remove_named(run_ids, as_json=json))


def prune(
    *,
    older_than: Annotated[
        str | None, typer.Option(metavar="AGE", help="Only runs created longer ago, such as 12h, 30d or 8w.")
    ] = None,
    status: Annotated[
        list[str] | None, typer.Option(help="Only runs in this state; may be given several times.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the runs; delete nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    json: options.Json = False,
) -> None:
    """Delete old runs for good, by age and state."""
    from assay.cli.actions.remove_runs import WantedRuns, prune_runs
    from assay.cli.event_loop import run_async

    wanted = WantedRuns(older_than, tuple(status or ()), is_dry=dry_run, is_confirmed=yes)
    run_async(prune_runs(wanted, as_json=json))
