"""Composition root: settings in, wired objects out."""

import json
import subprocess
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from assay.adapters.datasets.library import FileDataLibrary
from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.providers import KNOWN
from assay.adapters.queue.memory import MemoryQueue
from assay.adapters.store.sql import SqlStore, open_store
from assay.domain.errors import StoreError
from assay.engine.catalogue import Catalogue
from assay.engine.clock import SystemClock
from assay.engine.offload import GradingPool
from assay.engine.queue import ShardQueue
from assay.engine.runs import Engine
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
            )
        finally:
            await queue.close()
            pool.close()


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


def model_directory(settings: Settings) -> HttpModelDirectory:
    return HttpModelDirectory(settings.environment)


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


def _distribution() -> Distribution | None:
    try:
        return distribution("assay")
    except PackageNotFoundError:
        return None
