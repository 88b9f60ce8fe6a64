"""`assay list`, `assay show` and `assay items`."""

from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli import options

if TYPE_CHECKING:
    from assay.domain.shard import ShardId
    from assay.engine.fleet.liveness import Waiting
    from assay.settings import Settings


def list_runs(
    *,
    status: Annotated[str | None, typer.Option(help="Only runs in this state.")] = None,
    model: Annotated[str | None, typer.Option(help="Only runs of models whose name contains this.")] = None,
    name: Annotated[str | None, typer.Option(help="Only runs whose own name contains this.")] = None,
    tag: Annotated[str | None, typer.Option(help="Only runs with this tag.")] = None,
    archived: Annotated[
        bool, typer.Option("--archived", help="Only archived runs, in place of the others.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=200)] = 20,
    json: options.Json = False,
) -> None:
    """List runs, newest first."""
    from dataclasses import replace

    from assay.cli.event_loop import run_async
    from assay.cli.output.run_report import run_reports
    from assay.cli.output.show_rows import print_list, state_named
    from assay.cli.output.write import write_json
    from assay.domain.stats import plural
    from assay.engine.fleet.liveness import with_interruptions
    from assay.engine.stores.runs import RunFilter
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def work() -> None:
        wanted = RunFilter(
            state=state_named(status), model=model, name=name, tag=tag, is_archived=archived, limit=limit
        )
        settings = load_settings()
        async with opened_stores(settings) as stores:
            page = await stores.runs.page_with_outcomes(wanted)
            found = await with_interruptions(stores, page.runs, _waiting_shards(settings))
            reports = await run_reports(stores, found)
            stored = page.total or (await stores.runs.page(RunFilter(limit=1))).total
            apart = replace(wanted, is_archived=True, limit=1)
            has_archived = not (page.total or archived) and (await stores.runs.page(apart)).total > 0
        if json:
            from assay.cli.output.documents import run_document

            write_json({"runs": [run_document(one) for one in reports], "total": page.total})
        elif reports:
            print_list(reports)
            if page.total > len(reports):
                typer.echo(f"… {page.total - len(reports):,} more")
        elif stored:
            others = "assay list --archived" if has_archived else "assay list"
            typer.echo(f"no run matches ({plural(stored, 'run')} in all); list them with: {others}")
        else:
            typer.echo("no runs yet; try: assay run sim/good,sim/weak mmlu_pro,ifeval --data demo")

    run_async(work())


def show(
    run_id: options.Run,
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
    from assay.cli.output.run_report import run_reports
    from assay.cli.output.sandbox_notes import print_confinements
    from assay.cli.output.show_item import show_item
    from assay.cli.output.write import write_json
    from assay.engine.fleet.liveness import with_interruptions
    from assay.installation import opened_stores
    from assay.settings import load_settings

    async def work() -> None:
        settings = load_settings()
        async with opened_stores(settings) as stores:
            if item is not None:
                run = await stores.runs.get(run_id)
                evaluations = await stores.runs.evaluations(run.id)
                await show_item(stores, evaluations, item, reveal=reveal, as_json=json)
                return
            stored = [await stores.runs.get_with_outcomes(run_id)]
            found = await with_interruptions(stores, stored, _waiting_shards(settings))
            [report] = await run_reports(stores, found, reveal=reveal)
            if json:
                write_json(run_document(report))
            else:
                print_run(report)
                print_categories(report.evaluations)
                await print_confinements(stores, report.evaluations)

    run_async(work())


def items(
    run_id: options.Run,
    *,
    outcome: Annotated[
        list[str] | None, typer.Option(help="Only attempts that ended so; may be given several times.")
    ] = None,
    search: Annotated[
        str | None, typer.Option(help="Only attempts with this in their id, answer or error.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
    reveal: Annotated[
        bool, typer.Option("--reveal", help="Show texts of gated benchmarks in plain.")
    ] = False,
    json: options.Json = False,
) -> None:
    """List a run's attempts: which items failed, and how."""
    from assay.cli.actions.list_items import WantedItems, list_items
    from assay.cli.event_loop import run_async

    wanted = WantedItems(run_id, tuple(outcome or ()), search, limit, reveal=reveal)
    run_async(list_items(wanted, as_json=json))


def _waiting_shards(settings: "Settings") -> "Waiting":
    """Opens the queue when it is asked: most runs that are shown have ended."""

    async def waiting() -> "tuple[ShardId, ...]":
        from assay.bootstrap import opened_queue

        async with opened_queue(settings, is_shared=True) as queue:
            return await queue.waiting()

    return waiting
