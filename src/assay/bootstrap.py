"""Composition root: settings in, wired objects out."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

from assay.adapters.datasets.dataset_files import FolderDatasetFiles
from assay.adapters.datasets.hub import Hub
from assay.adapters.datasets.hub_rows import HubRows
from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.datasets.row_reader import FileRowReader
from assay.adapters.identity.oauth import OAuthOptions, OAuthProvider
from assay.adapters.identity.oidc import OidcOptions, OidcProvider
from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.embeddings import HttpEmbedder
from assay.adapters.models.lists.lm_studio import LmStudio
from assay.adapters.models.lists.provider_lists import HttpModelLists
from assay.adapters.models.providers import KNOWN
from assay.adapters.models.replay import KeptReplies
from assay.adapters.models.session import ClientLimits
from assay.adapters.one_file.loading import LocalBenchmarkFiles
from assay.adapters.prepared.environments import PreparedEnvironments
from assay.adapters.prepared.toolchains import Toolchains
from assay.adapters.queue import sqlite as sqlite_queue
from assay.adapters.queue.memory import MemoryQueue
from assay.adapters.sandbox.docker.backend import DockerOptions, engine_socket
from assay.adapters.sandbox.docker.containers import ContainerOptions, DockerContainers
from assay.adapters.sandbox.local_backend import LocalOptions
from assay.adapters.sandbox.registry import installed
from assay.adapters.sandbox.sandy.backend import SandyOptions
from assay.adapters.sandbox.sandy.containers import SandyContainers
from assay.adapters.sandbox.sandy.telemetry import SandyTelemetry
from assay.adapters.signing.keyring import Keyring
from assay.adapters.store.database.database import connected
from assay.adapters.store.database.url import located
from assay.adapters.typesetting.pdf import render_pdf
from assay.adapters.vault.fernet import FernetVault
from assay.domain.access.identity import Role
from assay.domain.benchmark import Services
from assay.domain.errors import InvalidValueError, MissingExtraError
from assay.domain.programs.containers import GIB
from assay.domain.programs.sandbox import Isolation
from assay.engine.clock import SystemClock
from assay.engine.execution.engine import Engine, Provenance
from assay.engine.execution.queue import ShardQueue
from assay.engine.exports.exporter import Exporter
from assay.engine.grading.offload import GradingPool
from assay.engine.grading.resources import GradingResources
from assay.engine.identity.credentials import Credentials, NoSessions
from assay.engine.identity.provider import IdentityProvider
from assay.engine.identity.sign_in import SignIn
from assay.engine.models.limits import CallLimits
from assay.engine.models.quota import EndpointLimits, Quotas
from assay.engine.models.retry import RetryPolicy
from assay.engine.one_file.files import NoBenchmarkFiles
from assay.engine.planner import Planner
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import ModelDirectory
from assay.engine.sandbox.health import SandboxHealth, sandbox_health
from assay.engine.sandbox.selected import SelectedSandbox
from assay.engine.sandbox.selection import Backend, Choice
from assay.engine.stores.identity import IdentityStore
from assay.engine.stores.quotas import QuotaStore
from assay.installation import environment, git_sha, opened_stores, shared_objects, version
from assay.settings import Settings

_SANDBOX_PATIENCE_S = 20.0


@asynccontextmanager
async def opened_engine(
    settings: Settings, *, is_shared: bool = False, call_timeout_s: float | None = None
) -> AsyncGenerator[Engine]:
    """Everything a run needs; closed when the block ends.

    A shared engine queues in the database, for any worker of the installation; the other keeps its queue to
    this process. `call_timeout_s` ends each call to a model, in place of the usual limits.
    """
    async with (
        opened_stores(settings) as stores,
        _models(settings, call_timeout_s) as models,
        opened_queue(settings, is_shared=is_shared) as queue,
    ):
        pool, embedder = GradingPool(), HttpEmbedder(settings.environment)
        sandbox, containers = code_sandbox(settings), task_containers(settings)
        try:
            yield Engine(
                stores=stores,
                queue=queue,
                models=models,
                clock=SystemClock(),
                planner=Planner(
                    Catalogue.installed(),
                    data_library(settings),
                    stores.datasets,
                    dataset_files(settings),
                    files=NoBenchmarkFiles() if is_shared else benchmark_files(settings),
                ),
                grading=GradingResources(
                    pool, sandbox, prepared_environments(settings), containers, embedder
                ),
                credentials=Credentials(
                    stores.secrets,
                    vault(settings),
                    sessions=sign_in(settings, stores.identity) or NoSessions(),
                ),
                limits=_call_limits(settings, stores.quotas),
                provenance=Provenance(version(), git_sha(), environment()),
            )
        finally:
            pool.close()
            embedder.close()
            await sandbox.close()
            await containers.close()


@asynccontextmanager
async def _models(settings: Settings, call_timeout_s: float | None) -> AsyncGenerator[ModelDirectory]:
    """With telemetry where a collector is named; else nothing of it is even imported."""
    directory, endpoint = (
        model_directory(settings, timeout_s=call_timeout_s),
        settings.otel_exporter_otlp_endpoint,
    )
    if not endpoint:
        yield directory
        return
    try:
        from assay.adapters.telemetry.otlp import Telemetry  # noqa: PLC0415 # an optional package
        from assay.adapters.telemetry.traced_models import TracedDirectory  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("sending telemetry to OTEL_EXPORTER_OTLP_ENDPOINT", "otel") from error
    telemetry = Telemetry(endpoint, version=version())
    try:
        yield TracedDirectory(directory, telemetry.instruments, name_of=directory.provider_and_name)
    finally:
        await telemetry.close()


def _call_limits(settings: Settings, store: QuotaStore) -> CallLimits:
    per_minute = EndpointLimits(
        settings.assay_endpoint_requests_per_minute, settings.assay_endpoint_tokens_per_minute
    )
    has_quotas = per_minute != EndpointLimits()
    return CallLimits(
        connections=settings.worker_item_concurrency,
        retries=RetryPolicy(
            deadline_s=settings.worker_item_timeout_seconds, doubtful_tries=settings.worker_item_attempts
        ),
        quotas=Quotas(per_minute, store=store, clock=SystemClock()) if has_quotas else None,
    )


@asynccontextmanager
async def opened_queue(settings: Settings, *, is_shared: bool) -> AsyncGenerator[ShardQueue]:
    """The queue in the database if it is shared, otherwise one of this process."""
    if not is_shared:
        queue, database = MemoryQueue(), None
    elif (location := located(settings.store_url)).kind == "sqlite":
        database = connected(location)
        queue = await sqlite_queue.open_queue(database)
    else:
        # Imported for PostgreSQL alone.
        from assay.adapters.queue.postgres import open_queue  # noqa: PLC0415

        queue, database = await open_queue(location.url, is_pooled=location.is_pooled), None
    try:
        yield queue
    finally:
        await queue.close()
        if database is not None:
            await database.close()


def data_library(settings: Settings) -> FileDataLibrary:
    return FileDataLibrary(
        settings.assay_home / "data",
        token=settings.hf_token,
        endpoint=settings.hf_endpoint,
        offline=settings.hf_hub_offline,
    )


def benchmark_files(settings: Settings) -> LocalBenchmarkFiles:
    """For commands of the file's author alone: loading a Python file runs it."""
    return LocalBenchmarkFiles(FileRowReader(hub_rows(settings)))


def hub_rows(settings: Settings) -> HubRows:
    hub = Hub(token=settings.hf_token, endpoint=settings.hf_endpoint, offline=settings.hf_hub_offline)
    return HubRows(settings.assay_home / "data", hub)


def dataset_files(settings: Settings) -> FolderDatasetFiles:
    return FolderDatasetFiles(settings.assay_home / "datasets", shared_objects(settings))


def prepared_environments(settings: Settings) -> PreparedEnvironments:
    return PreparedEnvironments(settings.assay_home / "prepared", shared_objects(settings))


def toolchains(settings: Settings) -> Toolchains:
    """The compilers and interpreters that `prepared_environments` finds."""
    return prepared_environments(settings).toolchains


def keyring(settings: Settings) -> Keyring:
    return Keyring(
        settings.assay_home / "keys",
        private_key=settings.bench_signing_private_key,
        public_key=settings.bench_signing_public_key,
    )


def vault(settings: Settings) -> FernetVault:
    return FernetVault(settings.assay_home / "keys" / "secret.key", key=settings.assay_secret_key)


def sign_in(settings: Settings, store: IdentityStore) -> SignIn | None:
    """None where no identity provider is set up."""
    provider = _identity_provider(settings)
    if provider is None:
        return None
    return SignIn(
        provider,
        store,
        vault=vault(settings),
        clock=SystemClock(),
        first_role=Role(settings.assay_default_role),
    )


def _identity_provider(settings: Settings) -> IdentityProvider | None:
    if settings.oidc_issuer or settings.oidc_client_id:
        if settings.chutes_client_id:
            raise InvalidValueError("users sign in with one provider: unset OIDC_ISSUER or CHUTES_CLIENT_ID")
        if not settings.oidc_issuer or not settings.oidc_client_id:
            raise InvalidValueError(
                "OIDC_ISSUER and OIDC_CLIENT_ID are needed together: set both, or neither"
            )
        return OidcProvider(
            OidcOptions(settings.oidc_issuer, settings.oidc_client_id, settings.oidc_client_secret)
        )
    if not settings.chutes_client_id:
        return None
    return OAuthProvider(
        OAuthOptions(settings.chutes_idp_url, settings.chutes_client_id, settings.chutes_client_secret)
    )


def exporter(settings: Settings) -> Exporter:
    return Exporter(signer=keyring(settings).signer, render_pdf=render_pdf)


@asynccontextmanager
async def grading_services(settings: Settings) -> AsyncGenerator[Services]:
    """What graders need to grade stored answers again, away from any run."""
    sandbox, containers, pool = code_sandbox(settings), task_containers(settings), GradingPool()
    try:
        yield Services(
            sandbox=sandbox,
            prepared=prepared_environments(settings),
            isolated=pool.one_at_a_time(),
            containers=containers,
        )
    finally:
        pool.close()
        await sandbox.close()
        await containers.close()


def code_sandbox(settings: Settings) -> SelectedSandbox:
    """Where graders run code; nothing is started before the first program."""
    return SelectedSandbox(_sandbox_backends(settings), _sandbox_choice(settings))


def task_containers(settings: Settings) -> DockerContainers | SandyContainers:
    """Where whole tasks run; nothing is connected to before the first of them."""
    if settings.assay_containers == "sandy":
        return SandyContainers(replace(_sandy_options(settings), slots=settings.assay_container_slots))
    return DockerContainers(
        ContainerOptions(
            engine_socket(settings.docker_host),
            slots=settings.assay_container_slots,
            image_bytes=settings.assay_image_disk_gb * GIB,
        )
    )


async def examined_sandboxes(settings: Settings) -> SandboxHealth:
    """What each backend can do now; takes seconds, as programs are run in them."""
    backends = partial(_sandbox_backends, settings)
    return await sandbox_health(backends, _sandbox_choice(settings), within_s=_SANDBOX_PATIENCE_S)


def _sandbox_choice(settings: Settings) -> Choice:
    return Choice(settings.assay_sandbox, Isolation[settings.assay_min_isolation.upper()])


def _sandbox_backends(settings: Settings) -> list[Backend]:
    options = LocalOptions.default(slots=settings.assay_sandbox_slots)
    docker = DockerOptions(
        engine_socket(settings.docker_host), image=settings.assay_sandbox_image, slots=options.slots
    )
    return installed(options, docker=docker, sandy=_sandy_options(settings))


def _sandy_options(settings: Settings) -> SandyOptions:
    return SandyOptions(
        settings.sandy_base_url, settings.sandy_api_key, docker_upstream=settings.sandy_docker_upstream
    )


def sandbox_telemetry(settings: Settings) -> SandyTelemetry | None:
    """None where no remote sandbox service is named."""
    if not settings.sandy_base_url:
        return None
    return SandyTelemetry(settings.sandy_base_url, settings.sandy_api_key)


def model_directory(settings: Settings, *, timeout_s: float | None = None) -> HttpModelDirectory:
    """With a time-out of its own for calls, where one is given."""
    limits = ClientLimits() if timeout_s is None else ClientLimits().ending_after(timeout_s)
    return HttpModelDirectory(
        settings.environment,
        options=ClientOptions(limits),
        inference_proxy=f"{settings.chutes_idp_url.rstrip('/')}/v1",
        replies=kept_replies(settings),
    )


def kept_replies(settings: Settings) -> KeptReplies:
    """Those that were given in place of calls."""
    return KeptReplies(settings.assay_home / "replies", shared_objects(settings))


def model_lists(settings: Settings) -> HttpModelLists:
    return HttpModelLists(settings.environment, chutes_url=settings.chutes_models_api_url)


def lm_studio(settings: Settings) -> LmStudio:
    return LmStudio(settings.environment)


def keyless_providers(settings: Settings) -> frozenset[str]:
    """Providers that neither need a key nor have one here: a caller may point them elsewhere."""
    return frozenset(
        name
        for name, traits in KNOWN.items()
        if not traits.needs_key and not settings.environment.get(f"{name.upper()}_API_KEY", "").strip()
    )
