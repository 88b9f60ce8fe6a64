"""What the HTTP API is wired with, and how an endpoint asks for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Protocol

from fastapi import Depends, Request

from assay.api.access.endpoint_policy import EndpointPolicy
from assay.api.errors import ProblemError
from assay.api.export_desk import ExportDesk
from assay.api.process_memory import ExamineSandboxes, ProcessMemory
from assay.api.schemas.models import ServedModel
from assay.api.schemas.overview import WorkerConfig
from assay.api.web import installed_ui
from assay.engine.execution.engine import Engine
from assay.engine.execution.shards import ShardExecutor
from assay.engine.identity.sign_in import SignIn
from assay.engine.models.registry import ModelCatalogues, NoCatalogues
from assay.engine.planning.catalogue import Catalogue
from assay.engine.sandbox.health import SandboxTelemetry, no_sandboxes
from assay.engine.stores import Stores

DEFAULT_UPLOAD_BYTES = 2 * 1024**3


class ProviderStatus(Protocol):
    """A prefix of model names, or the whole name of a built-in model, which needs no key."""

    @property
    def prefix(self) -> str: ...

    @property
    def is_ready(self) -> bool: ...

    @property
    def base_url(self) -> str: ...

    @property
    def key_variable(self) -> str: ...

    @property
    def has_key(self) -> bool: ...


class ProviderDirectory(Protocol):
    """Which models can be named here."""

    def providers(self) -> Sequence[ProviderStatus]: ...

    async def served(self, prefix: str) -> Sequence[ServedModel]:
        """The models an endpoint lists; raises EndpointError."""
        ...


@dataclass(slots=True)
class Maintenance:
    """Whether this process refuses new runs, and what it tells those who ask for one."""

    is_on: bool = False
    message: str = ""


@dataclass(frozen=True, slots=True)
class ApiServices:
    """The objects behind the endpoints, built once per process; `ui` is the folder of the built web UI.

    `hosts` are the names the API is reached by beside those of loopback. `executor` is given where this
    process also works on shards.
    """

    engine: Engine
    directory: ProviderDirectory
    version: str
    catalogues: ModelCatalogues = field(default_factory=NoCatalogues)
    maintenance: Maintenance = field(default_factory=Maintenance)
    admin_secret: str | None = field(default=None, repr=False)
    endpoints: EndpointPolicy = EndpointPolicy()
    hosts: tuple[str, ...] = ()
    executor: ShardExecutor | None = None
    ui: Path | None = field(default_factory=installed_ui)
    export_desk: ExportDesk | None = None
    upload_bytes: int = DEFAULT_UPLOAD_BYTES
    max_active_runs: int | None = None
    examine_sandboxes: ExamineSandboxes = no_sandboxes
    sandbox_telemetry: SandboxTelemetry | None = None
    worker_config: WorkerConfig = field(default_factory=WorkerConfig)
    # Given where users can sign in.
    sign_in: SignIn | None = None
    # Where browsers find this server, if not where it listens.
    frontend_url: str | None = None
    # Whether only those are answered who sign in or send a key.
    needs_identity: bool = False

    @property
    def stores(self) -> Stores:
        return self.engine.stores

    @property
    def exports(self) -> ExportDesk:
        if self.export_desk is None:
            detail = "this server has no signing key, so it neither writes nor checks exports"
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, code="no-exports")
        return self.export_desk

    @property
    def catalogue(self) -> Catalogue:
        return self.engine.planner.catalogue


# Not in a thread of the pool, as FastAPI would run a plain function: a hop that waits for the interpreter.
async def _services(request: Request) -> ApiServices:
    services: ApiServices = request.app.state.services
    return services


async def _memory(request: Request) -> ProcessMemory:
    memory: ProcessMemory = request.app.state.memory
    return memory


Services = Annotated[ApiServices, Depends(_services)]
Memory = Annotated[ProcessMemory, Depends(_memory)]
