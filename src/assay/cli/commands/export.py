"""`assay export`."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import options
from assay.engine.exports.formats import ExportFormat, Paper


def export(
    run_id: options.Run,
    *,
    format_: Annotated[ExportFormat, typer.Option("--format", help="What to write.")] = ExportFormat.ZIP,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="File or folder, or - for standard output; by default a name made from the run.",
        ),
    ] = None,
    paper: Annotated[Paper, typer.Option(help="Page size of the PDF.", show_default=True)] = "a4",
    reveal: Annotated[
        bool,
        typer.Option(
            "--reveal", help="Show texts of gated benchmarks, which their authors ask not to publish."
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Write a run to a file: signed, for people, or for other tools."""
    from assay.cli.actions.export_run import ExportRequest, export_to_file

    export_to_file(run_id, format_, ExportRequest(out=out, paper=paper, reveal=reveal, as_json=json))
