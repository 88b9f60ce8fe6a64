"""The command line over a data folder of its own, with runs that tests store themselves."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from typer.testing import CliRunner, Result

from assay.cli.event_loop import run_async
from assay.cli.main import app
from assay.domain.attempt import Attempt
from assay.domain.errors import AssayError
from assay.domain.run import Evaluation, EvaluationId, Run, RunId, State
from assay.engine.stores import Stores
from assay.engine.stores.fleet import Worker
from assay.installation import opened_stores
from assay.settings import load_settings
from tests.builders import NOON, Seeded

T = TypeVar("T")
WORKER = "worker-1"


class CommandLine:
    """Terminals of 80 columns are the narrowest that listings must fit in."""

    def __init__(self, columns: int = 80) -> None:
        self.columns = columns

    def __call__(self, *arguments: str) -> Result:
        return CliRunner(env={"COLUMNS": str(self.columns)}).invoke(app, arguments)

    def printed(self, *arguments: str) -> str:
        done = self(*arguments)
        assert done.exit_code == 0, done.output or repr(done.exception)
        return done.stdout

    def json(self, *arguments: str) -> Any:  # tests look into it
        return json.loads(self.printed(*arguments, "--json"))

    def error(self, *arguments: str) -> str:
        error = self(*arguments).exception
        assert isinstance(error, AssayError), repr(error)
        return error.message

    def stores(self, work: Callable[[Stores], Awaitable[T]]) -> T:
        async def opened() -> T:
            async with opened_stores(load_settings()) as stores:
                return await work(stores)

        return run_async(opened())

    def add_run(
        self,
        attempts: Sequence[Attempt] = (),
        *,
        run: Run | None = None,
        evaluation: Evaluation | None = None,
        state: State = State.QUEUED,
    ) -> Run:
        """Store a run of one evaluation, which a worker executes.

        `state` must be reachable from a run that is running.
        """
        run = run or Seeded().run
        evaluation = evaluation or Seeded(run, f"{run.id}-1").evaluation()

        async def add(stores: Stores) -> None:
            await stores.runs.add(run, [evaluation], [])
            await stores.attempts.add([replace(one, evaluation_id=evaluation.id) for one in attempts])
            await stores.fleet.heartbeat(Worker(WORKER, "host", NOON, slots=4))
            await stores.fleet.share_connections(run.id, WORKER, most=4, held=0)
            if state is not State.QUEUED:
                await stores.runs.set_state(run.id, State.RUNNING, at=NOON)
                await stores.runs.set_evaluation_state(evaluation.id, State.RUNNING, at=NOON)
            if state not in {State.QUEUED, State.RUNNING}:
                await stores.runs.set_state(run.id, state, at=NOON)
                await stores.runs.set_evaluation_state(EvaluationId(evaluation.id), state, at=NOON)

        self.stores(add)
        return replace(run, state=state)


def run_named(start: str, **changes: Any) -> Run:
    return replace(Seeded().run, id=RunId(f"{start}-0000-4000-8000-000000000000"), **changes)


@pytest.fixture
def assay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return CommandLine()
