"""Puts load on an endpoint, stores the result and prints it."""

from pathlib import Path

import typer

from assay.bootstrap import data_library, dataset_files, model_directory
from assay.cli.event_loop import run_until_stopped
from assay.cli.output.load_report import level_line, load_document, print_load_test
from assay.cli.output.write import json_bytes, require_writable, write_file, write_json, write_note
from assay.domain.load import LoadSpec, LoadTest
from assay.domain.run import RunSpec
from assay.engine.clock import SystemClock
from assay.engine.execution.create import price_snapshot
from assay.engine.load.load_run import LoadRun
from assay.engine.load.prompts import Requests
from assay.engine.planner import Planner
from assay.engine.planning.catalogue import Catalogue
from assay.engine.stores import Stores
from assay.engine.tasks import uninterrupted
from assay.installation import opened_stores, version
from assay.settings import Settings, load_settings


def load_test(spec: LoadSpec, *, base_url: str | None, output: Path | None, as_json: bool) -> None:
    """A test that is stopped keeps what it measured."""
    settings = load_settings()
    if output is not None:
        require_writable(output)

    async def work() -> None:
        async with opened_stores(settings) as stores:
            run = await _prepared(spec, settings, stores, base_url=base_url)
            if not as_json:
                run.on_level = lambda level: typer.echo(level_line(level, spec.loop), err=True)
            try:
                await run.execute()
            finally:
                test = run.result()
                await run.client.close()
                if test.levels:
                    await uninterrupted(stores.load_tests.add(test))
                    _report(test, output=output, as_json=as_json)

    run_until_stopped(work())


async def _prepared(spec: LoadSpec, settings: Settings, stores: Stores, *, base_url: str | None) -> LoadRun:
    models = model_directory(settings, timeout_s=spec.limits.timeout_s)
    planner = Planner(Catalogue.installed(), data_library(settings), stores.datasets, dataset_files(settings))
    given = await planner.demo_prompts(spec.prompts, seed=spec.seed) if spec.prompts else ()
    # Prices are asked for as those of a run.
    priced = RunSpec((spec.model,), ("load",), budget=spec.limits.budget, base_url=base_url, price=spec.price)
    prices = await price_snapshot(priced, models, stores.registry)
    return LoadRun(
        spec,
        models.open(spec.model, base_url=base_url),
        SystemClock(),
        Requests(spec, given),
        price=prices[spec.model],
        code_version=version(),
    )


def _report(test: LoadTest, *, output: Path | None, as_json: bool) -> None:
    document = load_document(test)
    if as_json:
        write_json(document)
    else:
        print_load_test(test)
    if output is not None:
        write_file(output, json_bytes(document))
        write_note(f"written to {output}", err=True)
