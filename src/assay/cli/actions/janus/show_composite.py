"""Prints the composites of a stored run."""

from dataclasses import asdict

import typer

from assay.cli.event_loop import run_async
from assay.cli.output.print_janus import print_measures, print_parts
from assay.cli.output.write import write_json, write_note
from assay.domain.stats import plural
from assay.engine.janus.report import composite_report
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.composite import ModelComposite, composites
from assay.engine.results.warm_ups import WarmUpTotal, warm_up_totals
from assay.installation import opened_stores
from assay.settings import load_settings


def show_composite(run_id: str, *, as_json: bool) -> None:
    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            run = await stores.runs.get(run_id)
            evaluations = (await stores.runs.evaluations_of([run.id]))[run.id]
            found = await composites(
                evaluations,
                rule=run.spec.composite,
                attempts=stores.attempts,
                catalogue=Catalogue.installed(),
            )
            warm_ups = await warm_up_totals(stores.events, run)
        if as_json:
            models = [_document(one, warm_ups.get(one.model)) for one in found]
            write_json({"run_id": run.id, "models": models})
            return
        for one in found:
            _print(one, warm_ups.get(one.model))

    run_async(work())


def _document(one: ModelComposite, warm_up: WarmUpTotal | None) -> dict[str, object]:
    return {
        "model": one.model,
        "is_janus": one.is_janus,
        "composite": asdict(composite_report(one.composite)),
        "measures": {
            benchmark: {name: asdict(measure) for name, measure in measures.items()}
            for benchmark, measures in one.measures.items()
        },
        "warm_up": None if warm_up is None else asdict(warm_up),
    }


def _print(one: ModelComposite, warm_up: WarmUpTotal | None) -> None:
    write_note(f"{one.model}: {one.composite.sentence}")
    if warm_up is not None:
        said = plural(warm_up.requests, "warm-up request")
        cost = "unknown" if warm_up.cost_usd is None else f"${warm_up.cost_usd:.4f}"
        write_note(f"{said}, not scored; cost {cost}", indent="  ")
    typer.echo("")
    print_parts(composite_report(one.composite))
    for benchmark, measures in one.measures.items():
        print_measures(benchmark, measures)
    typer.echo("")
