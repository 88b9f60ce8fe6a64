"""Scores by category, such as the subjects of a benchmark."""

from collections.abc import Sequence

import typer

from assay.cli.output.write import interval_texts, percent, write_table
from assay.domain.run import Evaluation


def print_categories(evaluations: Sequence[Evaluation]) -> None:
    """One table per evaluation whose items fall into several categories."""
    for one in evaluations:
        if one.summary is None or len(one.summary.categories) <= 1:
            continue
        typer.echo(f"\n{one.model} on {one.benchmark}, by category")
        rows = [
            (name, percent(score.value), *interval_texts(score), f"{score.n:,}")
            for name, score in one.summary.categories.items()
        ]
        write_table(("CATEGORY", "SCORE", "95 % INTERVAL", "METHOD", "SCORED"), rows)
