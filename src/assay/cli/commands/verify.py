"""`assay verify`: no server and no database."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import options


def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A signed export, or a proof of one attempt.")],
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
    item: Annotated[str | None, typer.Option(help="The item to prove alone; see --proof.")] = None,
    sample: Annotated[int, typer.Option(min=0, help="Which attempt at the item.")] = 0,
    benchmark: Annotated[
        str | None, typer.Option(help="Of this benchmark, if several have the item.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Of this model, if several were asked.")] = None,
    proof: Annotated[
        Path | None, typer.Option(help="Write a small proof of --item here, which stands without the rest.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Check an export; exit code 0 proven, 1 refuted, 2 not decided."""
    from assay.cli.actions.verify_file import Asked, verify_file

    asked = Asked(
        keys=tuple(key or ()),
        rescore=rescore,
        data=data,
        item=item,
        sample=sample,
        benchmark=benchmark,
        model=model,
        proof=proof,
        as_json=json,
    )
    raise typer.Exit(verify_file(file, asked))
