"""`assay list` and `assay show`."""

from typing import Annotated

import typer

from assay.cli import options


def list_runs(
    *,
    status: Annotated[str | None, typer.Option(help="Only runs in this state.")] = None,
    model: Annotated[str | None, typer.Option(help="Only runs of models whose name contains this.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200)] = 20,
    json: options.Json = False,
) -> None:
    """List runs, newest first."""
    from assay.cli.event_loop import run_async
    from assay.cli.output.show_rows import list_rows, state_named
    from assay.cli.output.write import write_json, write_table
    from assay.engine.stores.runs import RunFilter
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def work() -> None:
        wanted = RunFilter(state=state_named(status), model=model, limit=limit)
        async with opened_stores(load_settings()) as stores:
            page = await stores.runs.page(wanted)
            known = [(run, await stores.runs.evaluations(run.id)) for run in page.runs]
        if json:
            from assay.cli.output.documents import run_document

            write_json({"runs": [run_document(*one) for one in known], "total": page.total})
        elif not known:
            typer.echo("no runs yet; try: assay run sim/good,sim/weak mmlu_pro,ifeval --data demo")
        else:
            write_table(
                ("RUN", "STATE", "AGE", "MODEL", "BENCHMARK", "SCORE  [95 % INTERVAL]", "SCORED"),
                list_rows(known),
            )
            if page.total > len(known):
                typer.echo(f"… {page.total - len(known):,} more")

    run_async(work())


def show(
    run_id: Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or the start of it.")],
    item: Annotated[str | None, typer.Option(help="Show one item's attempts in full.")] = None,
    *,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Show texts of gated benchmarks in plain.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Show a run's scores, or one item of it with prompt, answer and verdict."""
    from assay.cli.event_loop import run_async
    from assay.cli.output.documents import run_document
    from assay.cli.output.print_run import print_categories, print_run
    from assay.cli.output.sandbox_notes import print_confinements
    from assay.cli.output.show_item import show_item
    from assay.cli.output.write import write_json
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def work() -> None:
        async with opened_stores(load_settings()) as stores:
            run = await stores.runs.get(run_id)
            evaluations = await stores.runs.evaluations(run.id)
            if item is not None:
                await show_item(stores, evaluations, item, reveal=reveal, as_json=json)
            elif json:
                write_json(run_document(run, evaluations))
            else:
                print_run(run, evaluations)
                print_categories(evaluations)
                await print_confinements(stores, evaluations)

    run_async(work())
