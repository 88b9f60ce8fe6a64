"""`assay verify`: no server and no database."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import options


def verify(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Signed exports, or proofs of one attempt.")
    ],
    *,
    key: Annotated[
        list[str] | None,
        typer.Option(
            help="The publisher's public key (base64, PEM or a file of either) or its fingerprint."
            " By default the keys of this installation."
        ),
    ] = None,
    rescore: Annotated[
        bool, typer.Option("--rescore", help="Grade the stored answers again and compare the verdicts.")
    ] = False,
    data: Annotated[
        str | None, typer.Option(help="Data to grade with, where the export names a file of somebody else's.")
    ] = None,
    benchmark_file: Annotated[
        list[Path] | None,
        typer.Option(help="Your file with a benchmark of the export, to grade with; Python files are run."),
    ] = None,
    item: Annotated[str | None, typer.Option(help="The item to prove alone; see --proof.")] = None,
    sample: Annotated[int, typer.Option(min=0, help="Which attempt at the item.")] = 0,
    benchmark: Annotated[
        str | None,
        typer.Option(help="Of this benchmark, if several have the item.", callback=options.one_benchmark),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Of this model, if several were asked.")] = None,
    proof: Annotated[
        Path | None, typer.Option(help="Write a small proof of --item here, which stands without the rest.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Check exports; exit code 0 all proven, 1 one is refuted, 2 one is not decided or no export."""
    from assay.cli.actions.verify_file import Asked, verify_files

    asked = Asked(
        keys=tuple(key or ()),
        rescore=rescore,
        data=data,
        benchmark_files=tuple(benchmark_file or ()),
        item=item,
        sample=sample,
        benchmark=benchmark,
        model=model,
        proof=proof,
        as_json=json,
    )
    raise typer.Exit(verify_files(files, asked))
