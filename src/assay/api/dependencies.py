"""The objects that endpoints share, and the FastAPI dependencies that provide them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Protocol, Self
from urllib.parse import urlsplit

from fastapi import Depends, Request

from assay.api.caches import ApiCaches
from assay.api.endpoint_policy import EndpointPolicy
from assay.api.errors import ProblemError
from assay.api.events.event_hub import EventHub
from assay.api.schemas.exports import SigningKey
from assay.api.schemas.models import ServedModel
from assay.api.schemas.overview import WorkerConfig
from assay.api.web import installed_ui
from assay.domain.access.visibility import Viewer
from assay.engine.execution.engine import Engine
from assay.engine.execution.shards import ShardExecutor
from assay.engine.exports.exporter import Exporter
from assay.engine.exports.verification.verify import IsSignedBy
from assay.engine.identity.sign_in import SignIn
from assay.engine.loop_watchdog import LoopWatchdog
from assay.engine.models.local_models import LocalModels
from assay.engine.models.registry import ModelLists, NoModelLists
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import Clock, ModelDirectory
from assay.engine.sandbox.health import SandboxHealth, SandboxTelemetry, no_sandboxes
from assay.engine.stores import Stores

# Somebody who was not let in.
ANYBODY = Viewer(is_known=False)
DEFAULT_UPLOAD_BYTES = 2 * 1024**3
ExamineSandboxes = Callable[[], Awaitable[SandboxHealth]]


class ProviderStatus(Protocol):
    """`prefix` begins the names of a provider's models, or is the whole name of a built-in model."""

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
    """The providers whose models can be run."""

    def providers(self) -> Sequence[ProviderStatus]: ...

    async def served(self, prefix: str) -> Sequence[ServedModel]:
        """The models an endpoint lists; raises EndpointError."""
        ...


class KeyDirectory(Protocol):
    """The public keys of this installation: the current one and earlier ones."""

    def known(self) -> Sequence[SigningKey]: ...

    def signer(self) -> object:
        """Creates the first key if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class ExportService:
    """Writes exports, and verifies them against the keys of this installation."""

    exporter: Exporter
    keys: KeyDirectory
    is_signed_by: IsSignedBy

    def known_keys(self) -> Sequence[SigningKey]:
        if not self.keys.known():
            self.keys.signer()
        return self.keys.known()


@dataclass(slots=True)
class Maintenance:
    """Whether this process refuses new runs, and the message it refuses them with."""

    is_on: bool = False
    message: str = ""


@dataclass(frozen=True, slots=True)
class ExpertQaDefaults:
    """The judge where a request names none, and the questions: those that come with Assay, or a file."""

    judge: str | None = None
    questions: str = "official"


@dataclass(frozen=True, slots=True)
class ApiServices:
    """The objects behind the endpoints, built once per process; `ui` is the folder of the built web UI.

    `hosts` are the host names that the API accepts besides those of loopback. `executor` is set where this
    process also executes shards.
    """

    engine: Engine
    directory: ProviderDirectory
    version: str
    model_lists: ModelLists = field(default_factory=NoModelLists)
    maintenance: Maintenance = field(default_factory=Maintenance)
    admin_secret: str | None = field(default=None, repr=False)
    endpoints: EndpointPolicy = EndpointPolicy()
    hosts: tuple[str, ...] = ()
    # Web pages from elsewhere that may use the API.
    cors_origins: tuple[str, ...] = ()
    executor: ShardExecutor | None = None
    ui: Path | None = field(default_factory=installed_ui)
    export_service: ExportService | None = None
    upload_bytes: int = DEFAULT_UPLOAD_BYTES
    max_active_runs: int | None = None
    # What each caller may ask; None means no limit.
    requests_per_minute: int | None = None
    examine_sandboxes: ExamineSandboxes = no_sandboxes
    sandbox_telemetry: SandboxTelemetry | None = None
    worker_config: WorkerConfig = field(default_factory=WorkerConfig)
    # None where users cannot sign in.
    sign_in: SignIn | None = None
    # The address that browsers use, if it is not the one the server listens on.
    frontend_url: str | None = None
    # Signs webhooks whose callers gave no secret of their own.
    webhook_secret: str | None = field(default=None, repr=False)
    # Required by the calls of the code harness that change something.
    benchmark_token: str | None = field(default=None, repr=False)
    # Keeps a reply that is given in place of a call; returns the name of the model that answers with it.
    keep_reply: Callable[[str, str], str] | None = None
    expert_qa: ExpertQaDefaults = ExpertQaDefaults()
    # Folders of agents that callers may name.
    agents: Path | None = None
    # Models that LM Studio has on this machine.
    lm_studio: LocalModels | None = None
    # Whether callers must sign in or send an access key.
    needs_identity: bool = False
    # Counts what blocks the event loop of this process, while it watches.
    watchdog: LoopWatchdog = field(default_factory=LoopWatchdog)

    # For whom the stores have runs; None sees all.
    viewer: Viewer | None = None

    def seen_by(self, viewer: Viewer | None) -> Self:
        """The same services for a viewer, for whom other runs do not exist."""
        if viewer is None:
            return self
        stores = replace(self.stores, runs=self.stores.runs.seen_by(viewer))
        return replace(self, engine=replace(self.engine, stores=stores), viewer=viewer)

    @property
    def stores(self) -> Stores:
        return self.engine.stores

    @property
    def own_origins(self) -> tuple[str, ...]:
        """Origins whose pages may do what pages from the server's own address may."""
        frontend = urlsplit(self.frontend_url or "")
        own = (f"{frontend.scheme}://{frontend.netloc}",) if frontend.netloc else ()
        return (*own, *self.cors_origins)

    @property
    def exports(self) -> ExportService:
        if self.export_service is None:
            detail = "this server has no signing key, so it neither writes nor checks exports"
            raise ProblemError(HTTPStatus.SERVICE_UNAVAILABLE, detail, code="no-exports")
        return self.export_service

    @property
    def catalogue(self) -> Catalogue:
        return self.engine.planner.catalogue

    @property
    def models(self) -> ModelDirectory:
        return self.engine.models

    @property
    def clock(self) -> Clock:
        return self.engine.clock


# Coroutines, because FastAPI would call plain functions in a thread.
async def _services(request: Request) -> ApiServices:
    """What the caller sees, as `actor_of` found; without it, what anybody sees."""
    services: ApiServices = request.app.state.services
    return services.seen_by(getattr(request.state, "viewer", ANYBODY))


async def _caches(request: Request) -> ApiCaches:
    caches: ApiCaches = request.app.state.caches
    return caches


async def _events(request: Request) -> EventHub:
    events: EventHub = request.app.state.events
    return events


Services = Annotated[ApiServices, Depends(_services)]
Caches = Annotated[ApiCaches, Depends(_caches)]
Events = Annotated[EventHub, Depends(_events)]
