"""An API over a store in memory, for tests to talk to."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from fastapi.testclient import TestClient

from assay.adapters.store.memory import MemoryStore
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.domain.attempt import Attempt
from assay.domain.run import Evaluation, EvaluationId, Run, RunId, RunSpec, State
from assay.engine.catalogue import Catalogue
from tests.builders import NOON, LetterBenchmark, Seeded


def catalogue() -> Catalogue:
    return Catalogue({"letters": LetterBenchmark()}, broken={"typo": "ModuleNotFoundError: no module 'x'"})


def services(store: MemoryStore, *, maintenance: str | None = None, ui: Path | None = None) -> ApiServices:
    return ApiServices(
        store=store,
        catalogue=catalogue(),
        version="1.2.3",
        maintenance=maintenance is not None,
        maintenance_message=maintenance or "not shown",
        ui=ui,
    )


def client_of(store: MemoryStore, *, maintenance: str | None = None, ui: Path | None = None) -> TestClient:
    app = create_app(services(store, maintenance=maintenance, ui=ui))
    return TestClient(app, raise_server_exceptions=False)


def add(
    store: MemoryStore,
    number: int = 0,
    *,
    spec: RunSpec | None = None,
    state: State = State.QUEUED,
    attempts: Sequence[Attempt] = (),
) -> str:
    """Store a run with an evaluation per model, the first of which has the attempts."""
    spec = spec or RunSpec(("sim/good",), ("letters",))
    is_started = state is not State.QUEUED
    run = Run(
        id=RunId(f"{number:08}-run"),
        spec=spec,
        created_at=NOON + timedelta(minutes=number),
        state=state,
        started_at=NOON if is_started else None,
    )
    evaluations = _evaluations(run)
    first = evaluations[0]

    async def fill() -> None:
        await store.add_run(run, evaluations, [])
        await store.add_attempts([replace(one, evaluation_id=first.id) for one in attempts])

    asyncio.run(fill())
    return run.id


def _evaluations(run: Run) -> list[Evaluation]:
    return [
        Seeded(run).evaluation(
            id=EvaluationId(f"{run.id}/{place}"), model=model, state=run.state, started_at=run.started_at
        )
        for place, model in enumerate(run.spec.models)
    ]
