"""`assay plan`."""

from typing import Annotated

import typer

from assay.cli import options


def plan(
    score: Annotated[
        float, typer.Argument(metavar="A-SCORE", help="What one model is expected to score: 0.72 is 72 %.")
    ],
    difference: Annotated[
        float, typer.Argument(metavar="DIFFERENCE", help="Difference to find: 0.02 is 2 points.")
    ],
    benchmark: options.Benchmark,
    *,
    alpha: Annotated[float, typer.Option(help="Chance of a difference where there is none.")] = 0.05,
    power: Annotated[float, typer.Option(help="Chance of finding the difference.")] = 0.9,
    data: options.Data = "official",
    json: options.Json = False,
) -> None:
    """Say how many items it takes to tell two models apart, before anything is spent."""
    from assay.cli.actions.plan_items import plan_items
    from assay.engine.results.sample_size import SampleSizeRequest

    plan_items(
        SampleSizeRequest(score, difference, alpha, power),
        benchmark,
        data=options.absolute(data),
        as_json=json,
    )
