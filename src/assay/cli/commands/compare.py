"""`assay compare`."""

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
    json: options.Json = False,
) -> None:
    """Say which model is better, item by item, or that there are not enough items to tell."""
    from assay.cli.event_loop import run_async
    from assay.cli.output.documents import comparison_document
    from assay.cli.output.write import write_json, write_note
    from assay.domain.errors import InvalidValueError
    from assay.engine.results.compare import compare as compare_pairs
    from assay.engine.results.compare import model_pairs
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            run_ids = dict.fromkeys([(await stores.runs.get(run_id)).id for run_id in runs])
            evaluations = [one for run_id in run_ids for one in await stores.runs.evaluations(run_id)]
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
                write_note(one.sentence)

    run_async(work())
