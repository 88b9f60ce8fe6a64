"""`assay gate`: for continuous integration."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import completion, options


def gate(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A run's id, or a signed export of one.",
            autocompletion=completion.run_ids,
        ),
    ],
    *,
    baseline: Annotated[
        str | None,
        typer.Option(
            help="What to compare with: a run's id, or a signed export.", autocompletion=completion.run_ids
        ),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="Least score, 0 to 1, whatever its interval.")
    ] = None,
    policy: Annotated[Path | None, typer.Option(help="TOML file with what is demanded.")] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(help="Public key, or its fingerprint, that exports must be signed with."),
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML here.")] = None,
    markdown: Annotated[Path | None, typer.Option(help="Write a summary in Markdown here.")] = None,
    json: options.Json = False,
) -> None:
    """Compare a run with a baseline or a threshold; exit code 0 pass, 1 regression, 2 inconclusive."""
    from assay.cli.actions.gate_run import Wanted, gate_run

    wanted = Wanted(run, baseline, threshold, policy, tuple(key or ()), junit, markdown, as_json=json)
    raise typer.Exit(gate_run(wanted))
