"""`assay suite`: write, check and describe suites, which `assay run FILE` executes."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import completion

app = typer.Typer(help="Write and check suites: models and benchmarks in a file.", no_args_is_help=True)


@app.command()
def init(
    file: Annotated[Path, typer.Argument(help="Ends in .toml, .yaml or .yml.")] = Path("suite.toml"),
    *,
    run: Annotated[
        str | None,
        typer.Option(
            help="Write what this stored run asked, in place of an example.",
            autocompletion=completion.run_ids,
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there.")] = False,
) -> None:
    """Write a suite with comments, and its schema for editors."""
    from assay.cli.actions.suites.suite_files import write_suite

    write_suite(file, run, overwrite=overwrite)


@app.command()
def check(file: Annotated[Path, typer.Argument(help="A suite, in TOML or YAML.")]) -> None:
    """Say everything that is wrong with a suite, with file, line and field; nothing is asked."""
    from assay.cli.actions.suites.suite_files import check as check_file

    check_file(file)


@app.command()
def schema() -> None:
    """Print the JSON Schema of suites."""
    from assay.cli.actions.suites.suite_files import print_schema

    print_schema()
