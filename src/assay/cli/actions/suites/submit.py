"""Queues what is missing of a suite for the workers of the installation."""

from assay.bootstrap import opened_engine
from assay.cli.actions.run_once import note_missing_workers
from assay.cli.actions.suites.layout import Wanted, laid_out, places_of, tag_of, without
from assay.cli.actions.suites.suite_files import loaded
from assay.cli.event_loop import run_async
from assay.cli.output.write import write_json, write_note
from assay.domain.errors import InvalidValueError
from assay.domain.run import Budget, Run, State
from assay.engine.execution import control
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.suites.matrix import specs
from assay.engine.suites.suite import Suite
from assay.settings import load_settings


def submit_suite(wanted: Wanted) -> None:
    settings = load_settings()
    suite = loaded(wanted.file, settings)

    async def work() -> None:
        async with opened_engine(settings, is_shared=True) as engine:
            runs = await _queued(engine, suite, again=wanted.again)
            for run in runs:
                await note_missing_workers(engine.stores.fleet, run)
        if wanted.as_json:
            write_json({"suite": suite.name, "runs": [run.id for run in runs]})
            return
        for run in runs:
            write_note(f"run {run.id} is queued; watch it with: assay show {run.id[:8]}")
        write_note(f"the runs of the suite: assay list --tag {tag_of(suite)}")

    run_async(work())


async def _queued(engine: Engine, suite: Suite, *, again: bool) -> list[Run]:
    every, found = await laid_out(engine, suite, again=again)
    missing = [one.place for one in every if one.place not in found.taken]
    for run in found.unfinished:
        missing = without(missing, await places_of(engine, run.id, every))
    new = specs(suite, missing, budget=suite.budget)
    if suite.budget != Budget() and len(new) + len(found.unfinished) > 1:
        raise InvalidValueError(
            "a suite of several runs that workers execute cannot keep a budget: leave out --detach,"
            " or the budget"
        )
    for run in found.unfinished:
        if run.state is State.FAILED:
            await control.requeue(engine.lifecycle, run.id)
        elif run.state is State.PAUSED:
            await control.resume(engine.lifecycle, run.id)
    made = [await create_run(engine, spec, description=suite.description) for spec, _places in new]
    return [*found.unfinished, *made]
