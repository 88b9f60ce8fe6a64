"""Runs code tasks in this process, and writes their files below a folder."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

import typer

from assay.benchmarks.code_catalogue.task import unavailable
from assay.bootstrap import kept_replies, opened_engine, prepared_environments
from assay.cli.actions.code.artifacts import ArtifactFolder
from assay.cli.actions.code.tasks import tasks_in
from assay.cli.actions.run_once import Reopen, dry, executed, require_not_running
from assay.cli.event_loop import run_until_stopped
from assay.cli.exit_codes import EXIT_FAILED
from assay.cli.output.sandbox_notes import check_sandbox
from assay.cli.output.write import write_note
from assay.cli.service.logs import known_secrets
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Generation
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.domain.run import Description, Run, RunSpec, State
from assay.domain.stats import plural
from assay.engine.code_harness.summary import code_run
from assay.engine.execution import control
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.tasks import uninterrupted
from assay.installation import prepare_home
from assay.settings import Settings, load_settings

_REPLAYED = Description(tags=("replayed",), note="A reply from a file was graded; no model was called.")


@dataclass(frozen=True, slots=True)
class CodeRequest:
    """`tasks` is None for all that can be tested here."""

    tasks: tuple[str, ...] | None
    models: tuple[str, ...]
    benchmarks: tuple[str, ...]
    samples: int
    generation: Generation
    data: str
    base_url: str | None

    def spec(self, settings: Settings) -> RunSpec:
        return RunSpec(
            models=self.models,
            benchmarks=self.benchmarks,
            samples=self.samples,
            generation=self.generation,
            data=self.data,
            base_url=self.base_url,
            items=self._items(settings),
        )

    def _items(self, settings: Settings) -> tuple[ItemId, ...]:
        if self.tasks is not None:
            return tuple(map(ItemId, self.tasks))
        tasks = tasks_in(self.data)
        missing = unavailable(tasks, prepared_environments(settings))
        left_out = {name for names in missing.values() for name in names}
        if len(left_out) == len(tasks):
            raise DataMissingError("; ".join(["no task can be tested on this machine", *missing]))
        for reason, names in missing.items():
            write_note(f"left out {plural(len(names), 'task')} ({', '.join(names)}): {reason}", err=True)
        # Every task is no choice: such a run ranks among those of the whole catalogue.
        return tuple(ItemId(task.id) for task in tasks if task.id not in left_out) if left_out else ()


def run_tasks(request: CodeRequest, *, output: Path, response_file: Path | None) -> NoReturn:
    settings = load_settings()
    prepare_home(settings)
    spec = request.spec(settings)
    description = Description()
    if response_file is not None:
        spec, description = _replayed(spec, response_file, settings), _REPLAYED
    folder = ArtifactFolder.below(output, secrets=known_secrets(settings))

    async def work() -> int:
        async with opened_engine(settings) as engine:
            await check_sandbox(engine, spec)
            run = await create_run(engine, spec, description=description)
            return await _executed(engine, settings, run, folder, None)

    raise typer.Exit(run_until_stopped(work()))


def dry_run_tasks(request: CodeRequest) -> None:
    dry(request.spec(load_settings()), as_json=False, all_prompts=True)


def resume_tasks(place: Path, *, with_api_errors: bool) -> NoReturn:
    settings = load_settings()
    folder = ArtifactFolder.of_run(place, secrets=known_secrets(settings))

    async def work() -> int:
        async with opened_engine(settings) as engine:
            run = await engine.stores.runs.get(folder.run_id())
            await require_not_running(engine, run)
            reopen = await _what_to_do(engine, run, with_api_errors=with_api_errors)
            if reopen is None:
                write_note(f"run {run.id[:8]} has nothing left to do", err=True)
                await _write(engine, run, folder)
                return 0
            return await _executed(engine, settings, run, folder, reopen)

    raise typer.Exit(run_until_stopped(work()))


async def _what_to_do(engine: Engine, run: Run, *, with_api_errors: bool) -> Reopen | None:
    if with_api_errors:
        for evaluation in await engine.stores.runs.evaluations(run.id):
            if await engine.stores.attempts.missing(evaluation.id):
                return control.retry_missing
    if run.state is State.SUCCEEDED:
        return None
    return control.requeue if run.state.is_final else control.resume


async def _executed(
    engine: Engine, settings: Settings, run: Run, folder: ArtifactFolder, reopen: Reopen | None
) -> int:
    # At once: whatever ends this process, the run can be found by its folder.
    await folder.write_manifest(await code_run(engine.stores, run.id))
    try:
        run = await executed(engine, settings, run, as_json=False, reopen=reopen)
    except asyncio.CancelledError:
        await uninterrupted(_write(engine, run, folder))
        raise
    await _write(engine, run, folder)
    return 0 if run.state is State.SUCCEEDED else EXIT_FAILED


async def _write(engine: Engine, run: Run, folder: ArtifactFolder) -> None:
    place = await folder.write(await code_run(engine.stores, run.id), engine.stores.attempts)
    write_note(f"files of the run: {place}", err=True)


def _replayed(spec: RunSpec, response_file: Path, settings: Settings) -> RunSpec:
    counts: Sequence[Sequence[object]] = (spec.items, spec.models, spec.benchmarks)
    if spec.samples != 1 or any(len(one) != 1 for one in counts):
        raise InvalidValueError(
            "--response-file is for one task, one model, one thinking level and one sample"
        )
    try:
        reply = response_file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidValueError(f"{str(response_file)!r} is not UTF-8: {error.reason}") from error
    except OSError as error:
        raise InvalidValueError(f"cannot read {str(response_file)!r}: {error.strerror}") from error
    return replace(spec, models=(kept_replies(settings).keep(spec.models[0], reply),))
