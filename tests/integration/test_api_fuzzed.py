"""Every operation of the OpenAPI document, with requests that fit it and requests that do not."""

# Schemathesis leaves out type arguments of its own classes.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUntypedFunctionDecorator=false

import asyncio
import json
import socket
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
import schemathesis
import uvicorn
from schemathesis.config import (
    CoveragePhaseConfig,
    GenerationConfig,
    PhasesConfig,
    ProjectConfig,
    ProjectsConfig,
    SchemathesisConfig,
)
from schemathesis.schemas import BaseSchema
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from assay.adapters.datasets.dataset_files import FolderDatasetFiles
from assay.adapters.queue.memory import MemoryQueue
from assay.adapters.signing.ed25519 import is_signed_by
from assay.adapters.signing.keyring import Keyring
from assay.adapters.store.stores import open_stores
from assay.adapters.vault.fernet import FernetVault
from assay.api.app import create_app, openapi_document
from assay.api.dependencies import ApiServices, ExportService
from assay.domain.run import RunSpec
from assay.engine.clock import SystemClock
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.exports.exporter import Exporter
from assay.engine.stores import Stores
from tests.builders import rewired
from tests.exports import no_pdf
from tests.integration.harness import LetterTasks
from tests.integration.serving import services
from tests.stores import memory_stores


def schema(*, max_examples: int, has_boundary_values: bool = True) -> BaseSchema:
    # Without keys, which would be wrong ones: nearly every request would end as 401.
    settings = GenerationConfig(
        max_examples=max_examples, deterministic=True, no_shrink=True, with_security_parameters=False
    )
    phases = PhasesConfig(coverage=CoveragePhaseConfig(enabled=has_boundary_values))
    project = ProjectConfig(generation=settings, phases=phases)
    config = SchemathesisConfig(projects=ProjectsConfig(default=project))
    # The stream of all runs does not end; syncing models asks providers on the internet.
    return (
        schemathesis.openapi.from_dict(json.loads(openapi_document()), config=config)
        .exclude(path="/api/events")
        .exclude(path="/api/admin/sync-models")
    )


SCHEMA = schema(max_examples=4)
HEAD = [status_code_conformance, content_type_conformance]
Case = schemathesis.Case[Any]
EVENTS = "text/event-stream"
# Refusals that are meant: a key or a package that is not here, an endpoint that is away, maintenance.
MEANT = {501, 502, 503}


@dataclass(frozen=True)
class Service:
    address: str
    known: Mapping[str, str]
    server: uvicorn.Server


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Generator[Service]:
    folder = tmp_path_factory.mktemp("fuzzed")
    with serving_over(f"sqlite:///{folder / 'assay.db'}", folder) as service:
        yield service


@contextmanager
def serving_over(database_url: str, folder: Path) -> Generator[Service]:
    """The API over this database, with a run that has ended, on an event loop of its own."""
    ready: Queue[Service] = Queue()
    thread = threading.Thread(target=lambda: asyncio.run(_serve(database_url, folder, ready)))
    thread.start()
    service = ready.get(timeout=60)
    try:
        yield service
    finally:
        service.server.should_exit = True
        thread.join(60)


async def _serve(database_url: str, folder: Path, ready: Queue[Service]) -> None:
    store = await open_stores(database_url)
    wired = _wired(folder, store)
    # Of two benchmarks, so that the paths of the code harness know it too.
    spec = RunSpec(("sim/good",), ("letters", "code_catalogue"), data="demo")
    run = await execute_run(wired.engine, (await create_run(wired.engine, spec)).id)
    # Nobody works off this one: what the requests start stays queued.
    app = create_app(replace(wired, engine=replace(wired.engine, queue=MemoryQueue())))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        known = {"run_id": run.id, "name": "letters", "item_id": "0", "path": "summary.json"}
        ready.put(Service(address, known, server))
        await server.serve(sockets=[listener])
    await store.close()


def _wired(folder: Path, store: Stores) -> ApiServices:
    base, ring = services(memory_stores()), Keyring(folder / "keys")
    engine = rewired(
        base.engine,
        stores=store,
        catalogue=base.catalogue.extended([LetterTasks()]),
        clock=SystemClock(),
        dataset_files=FolderDatasetFiles(folder / "datasets"),
        vault=FernetVault(folder / "keys" / "secret.key"),
    )
    desk = ExportService(Exporter(ring.signer, no_pdf), ring, is_signed_by)
    return replace(base, engine=engine, export_service=desk)


@SCHEMA.parametrize()
def test_every_request_is_answered_as_the_document_says(case: Case, service: Service) -> None:
    require_all_as_described(case, service)


def require_all_as_described(case: Case, service: Service) -> None:
    require_as_described(case, service)
    known = {name: service.known[name] for name in case.path_parameters if name in service.known}
    if known:
        case.path_parameters |= known
        require_as_described(case, service)


def require_as_described(case: Case, service: Service) -> None:
    response = case.call(base_url=service.address, timeout=60)
    assert response.status_code < 500 or response.status_code in MEANT, response.text
    # The document describes only the data of events, which is what a client parses.
    is_stream = EVENTS in response.headers.get("content-type", [""])[0]
    case.validate_response(response, checks=HEAD if is_stream else [*HEAD, response_schema_conformance])
