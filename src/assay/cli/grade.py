"""`assay grade`: answers made elsewhere, graded as in a run."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import options


def grade(
    benchmark: Annotated[str, typer.Argument(help="A benchmark, as `assay benchmarks` lists.")],
    *,
    answers: Annotated[
        Path, typer.Option(help='JSON lines {"item": id, "response": text}, plain or gzipped.')
    ],
    data: options.Data = "official",
    out: Annotated[
        Path | None, typer.Option(help="Write the verdicts here instead of to standard output.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Grade answers made elsewhere; no model is called."""
    from assay.cli.grade_answers import grade_file

    grade_file(benchmark, answers, where=data, out=out, as_json=json)
