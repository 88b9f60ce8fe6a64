"""`assay db`: upgrade, back up and restore the database."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Upgrade the database, and back up and restore this installation.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command()
def upgrade(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Do it and take it back: nothing changes in the end.")
    ] = False,
) -> None:
    """Give the database the tables of this version; commands that need it do so by themselves."""
    from assay.cli.actions.databases import upgrade_database

    upgrade_database(dry_run=dry_run)


@app.command()
def backup(file: Annotated[Path, typer.Argument(help="Where to write it; it must not exist.")]) -> None:
    """Write the database, the data sets, the agents and the keys to one file; runs go on meanwhile."""
    from assay.cli.actions.databases import back_up

    back_up(file)


@app.command()
def restore(file: Annotated[Path, typer.Argument(help="What `assay db backup` wrote.")]) -> None:
    """Restore a back-up into a data folder and a database that are empty."""
    from assay.cli.actions.databases import restore_from

    restore_from(file)
