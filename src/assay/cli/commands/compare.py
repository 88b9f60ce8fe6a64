"""`assay compare`."""

from typing import Annotated

import typer

from assay.cli import options


def compare(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN [RUN…]", help="One run of several models, or several runs.")
    ],
    *,
    json: options.Json = False,
) -> None:
    """Say which model is better, item by item, or that there are not enough items to tell."""
    from assay.cli.event_loop import run_async
    from assay.cli.output.documents import comparison_document
    from assay.cli.output.write import write_json
    from assay.domain.errors import InvalidValueError
    from assay.engine.results.compare import compare as compare_pairs
    from assay.engine.results.compare import model_pairs
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            evaluations = [
                one
                for run_id in runs
                for one in await stores.runs.evaluations((await stores.runs.get(run_id)).id)
            ]
            pairs = model_pairs(evaluations)
            if not pairs:
                raise InvalidValueError(
                    "nothing to compare: name runs that hold two evaluations of one benchmark"
                )
            comparisons = await compare_pairs(stores.attempts, pairs)
        if json:
            write_json({"comparisons": [comparison_document(one) for one in comparisons]})
        else:
            for one in comparisons:
                typer.echo(one.sentence)

    run_async(work())
