"""Composition root: settings in, wired objects out."""

import json
import platform
import subprocess
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.datasets.shelf import FolderShelf
from assay.adapters.models.catalogues import HttpCatalogues
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.providers import KNOWN
from assay.adapters.prepared.shelf import PreparedShelf
from assay.adapters.queue.memory import MemoryQueue
from assay.adapters.sandbox.docker.backend import DockerOptions, engine_socket
from assay.adapters.sandbox.local_backend import LocalOptions
from assay.adapters.sandbox.registry import installed
from assay.adapters.sandbox.sandy.backend import SandyOptions
from assay.adapters.signing.keyring import Keyring
from assay.adapters.store.sql import SqlStore, open_store
from assay.adapters.typesetting.pdf import render_pdf
from assay.adapters.vault.fernet import FernetVault
from assay.domain.benchmark import Services
from assay.domain.errors import StoreError
from assay.domain.sandbox import Isolation
from assay.engine.catalogue import Catalogue
from assay.engine.clock import SystemClock
from assay.engine.exports.formats import Exporter
from assay.engine.offload import GradingPool
from assay.engine.queue import ShardQueue
from assay.engine.runs import Engine
from assay.engine.sandbox import Choice
from assay.engine.selected_sandbox import SelectedSandbox
from assay.settings import Settings

_SOURCE_TREE = Path(__file__).resolve().parents[2]


@asynccontextmanager
async def opened_store(settings: Settings) -> AsyncGenerator[SqlStore]:
    prepare_home(settings)
    store = await open_store(settings.store_url)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def opened_engine(settings: Settings, *, is_shared: bool = False) -> AsyncGenerator[Engine]:
    """Everything a run needs; closed when the block ends.

    A shared engine queues in the database, for any worker of the installation; the other keeps its queue to
    this process.
    """
    async with opened_store(settings) as store:
        queue = await _shared_queue(store) if is_shared else MemoryQueue()
        pool = GradingPool()
        sandbox = code_sandbox(settings)
        try:
            yield Engine(
                store=store,
                queue=queue,
                catalogue=Catalogue.installed(),
                library=data_library(settings),
                models=model_directory(settings),
                clock=SystemClock(),
                pool=pool,
                code_version=version(),
                git_sha=git_sha(),
                environment=environment(),
                shelf=dataset_shelf(settings),
                sandbox=sandbox,
                prepared=prepared_shelf(settings),
                vault=vault(settings),
            )
        finally:
            await queue.close()
            pool.close()
            await sandbox.close()


async def _shared_queue(store: SqlStore) -> ShardQueue:
    # dbos takes a second to import, which only the service needs.
    from assay.adapters.queue.durable import open_queue  # noqa: PLC0415

    location = store.database.location
    return await open_queue(location.url, is_pooled=location.is_pooled)


def prepare_home(settings: Settings) -> None:
    home = settings.assay_home
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(
            f"cannot create the data folder {str(home)!r}: {error.strerror};"
            " set ASSAY_HOME to a folder you can write to"
        ) from error


def data_library(settings: Settings) -> FileDataLibrary:
    return FileDataLibrary(
        settings.assay_home / "data",
        token=settings.hf_token,
        endpoint=settings.hf_endpoint,
        offline=settings.hf_hub_offline,
    )


def dataset_shelf(settings: Settings) -> FolderShelf:
    return FolderShelf(settings.assay_home / "datasets")


def prepared_shelf(settings: Settings) -> PreparedShelf:
    return PreparedShelf(settings.assay_home / "prepared")


def keyring(settings: Settings) -> Keyring:
    return Keyring(
        settings.assay_home / "keys",
        private_key=settings.bench_signing_private_key,
        public_key=settings.bench_signing_public_key,
    )


def vault(settings: Settings) -> FernetVault:
    return FernetVault(settings.assay_home / "keys" / "secret.key", key=settings.assay_secret_key)


def exporter(settings: Settings) -> Exporter:
    return Exporter(signer=keyring(settings).signer, render_pdf=render_pdf)


@asynccontextmanager
async def grading_services(settings: Settings) -> AsyncGenerator[Services]:
    """What graders need to grade stored answers again, away from any run."""
    sandbox = code_sandbox(settings)
    try:
        yield Services(sandbox=sandbox, prepared=prepared_shelf(settings))
    finally:
        await sandbox.close()


def code_sandbox(settings: Settings) -> SelectedSandbox:
    """Where graders run code; nothing is started before the first program."""
    minimum = Isolation[settings.assay_min_isolation.upper()]
    options = LocalOptions.default(slots=settings.assay_sandbox_slots)
    docker = DockerOptions(
        engine_socket(settings.docker_host), image=settings.assay_sandbox_image, slots=options.slots
    )
    sandy = SandyOptions(settings.sandy_base_url, settings.sandy_api_key)
    backends = installed(options, docker=docker, sandy=sandy)
    return SelectedSandbox(backends, Choice(settings.assay_sandbox, minimum))


def model_directory(settings: Settings) -> HttpModelDirectory:
    return HttpModelDirectory(settings.environment)


def model_catalogues(settings: Settings) -> HttpCatalogues:
    return HttpCatalogues(settings.environment, chutes_url=settings.chutes_models_api_url)


def keyless_providers(settings: Settings) -> frozenset[str]:
    """Providers that neither need a key nor have one here: a caller may point them elsewhere."""
    return frozenset(
        name
        for name, traits in KNOWN.items()
        if not traits.needs_key and not settings.environment.get(f"{name.upper()}_API_KEY", "").strip()
    )


@cache
def version() -> str:
    installed = _distribution()
    return installed.version if installed else "0+unknown"


@cache
def git_sha() -> str | None:
    """The commit this code was installed from, where that can be known."""
    installed = _distribution()
    origin = installed.read_text("direct_url.json") if installed else None
    commit = json.loads(origin).get("vcs_info", {}).get("commit_id") if origin else None
    if commit:
        return str(commit)
    if not (_SOURCE_TREE / ".git").exists():
        return None
    asked = ["git", "-C", str(_SOURCE_TREE), "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    try:
        told = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=5)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return told.stdout.strip() or None


@cache
def environment() -> Mapping[str, str]:
    """What the code runs on, for the record of a run; nothing that names the machine or its user."""
    return {
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": platform.system(),
        "machine": platform.machine(),
    }


def _distribution() -> Distribution | None:
    try:
        return distribution("assay")
    except PackageNotFoundError:
        return None
