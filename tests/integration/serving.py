"""An API over a store in memory, for tests to talk to."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import aiohttp
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.adapters.models.directory import HttpModelDirectory
from assay.api.app import close_streams, create_app
from assay.api.dependencies import ApiServices, Maintenance
from assay.domain.attempt import Attempt
from assay.domain.run import Evaluation, EvaluationId, Run, RunId, RunSpec, State
from assay.engine.planning.catalogue import Catalogue
from assay.engine.stores import Stores
from tests.builders import NOON, LetterBenchmark, Seeded, World, rewired


def catalogue() -> Catalogue:
    return Catalogue({"letters": LetterBenchmark()}, broken={"typo": "ModuleNotFoundError: no module 'x'"})


def services(store: Stores, *, maintenance: str | None = None, ui: Path | None = None) -> ApiServices:
    directory = HttpModelDirectory({})
    return ApiServices(
        engine=rewired(World(store=store).engine, catalogue=catalogue(), models=directory),
        directory=directory,
        version="1.2.3",
        maintenance=Maintenance(is_on=maintenance is not None, message=maintenance or "not shown"),
        ui=ui,
    )


def client_of(store: Stores, *, maintenance: str | None = None, ui: Path | None = None) -> TestClient:
    app = create_app(services(store, maintenance=maintenance, ui=ui))
    return client_for(app)


def client_for(app: FastAPI) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1:8017", raise_server_exceptions=False)


@asynccontextmanager
async def served(app: FastAPI) -> AsyncGenerator[aiohttp.ClientSession]:
    """The application behind a real server, on the event loop of the test; gives a client of it."""
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        connections = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(address, connector=connections) as client:
            yield client
        close_streams(app)
        server.should_exit = True
        await serving


def add(
    store: Stores,
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
        await store.runs.add(run, evaluations, [])
        await store.attempts.add([replace(one, evaluation_id=first.id) for one in attempts])

    asyncio.run(fill())
    return run.id


def _evaluations(run: Run) -> list[Evaluation]:
    return [
        Seeded(run).evaluation(
            id=EvaluationId(f"{run.id}/{place}"), model=model, state=run.state, started_at=run.started_at
        )
        for place, model in enumerate(run.spec.models)
    ]
