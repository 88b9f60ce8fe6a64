"""`assay compare`."""

from pathlib import Path
from typing import Annotated

import typer

from assay.cli import completion, options


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN [RUN…]",
            help="One run of several models, or several runs.",
            autocompletion=completion.run_ids,
        ),
    ],
    *,
    sequential: Annotated[
        bool,
        typer.Option("--sequential", help="Say what is certain already, also of runs that are not finished."),
    ] = False,
    margin: Annotated[
        float | None,
        typer.Option(
            help="With --sequential: difference that does not matter; 0.01 is 1 point, the default."
        ),
    ] = None,
    alpha: Annotated[
        float | None,
        typer.Option(
            help="With --sequential: chance of any wrong claim, whenever you look; 0.05 by default."
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one HTML file, with the items that differ.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write Markdown, for a pull request.")
    ] = None,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="With --html: show texts of gated benchmarks.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Say which model is better, item by item, or that there are not enough items to tell."""
    from assay.cli.actions.compare_runs import compare_runs, compare_sequentially, write_comparison
    from assay.domain.errors import InvalidValueError
    from assay.domain.stats import EquivalenceRule

    is_file = html is not None or markdown is not None
    if is_file and (sequential or json):
        raise InvalidValueError(
            "--html and --markdown are files of their own: leave out --sequential and --json"
        )
    if reveal and html is None:
        raise InvalidValueError("--reveal is about the texts in --html: give it too, or leave it out")
    if sequential:
        rule = EquivalenceRule(
            margin=0.01 if margin is None else margin, alpha=0.05 if alpha is None else alpha
        )
        compare_sequentially(runs, rule, as_json=json)
    elif margin is not None or alpha is not None:
        raise InvalidValueError("--margin and --alpha belong to --sequential: give it too, or leave them out")
    elif is_file:
        write_comparison(runs, html=html, markdown=markdown, reveal=reveal)
    else:
        compare_runs(runs, as_json=json)
