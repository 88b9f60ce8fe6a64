"""What most commands ask of this installation: its version, its data folder and its database."""

import json
import platform
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import TYPE_CHECKING

from assay.domain.errors import DISTRIBUTION, MissingExtraError, StoreError
from assay.source_version import UNKNOWN, checkout_version, describe

if TYPE_CHECKING:
    from assay.engine.objects import ObjectStore
    from assay.engine.stores import Stores
    from assay.settings import Settings


@asynccontextmanager
async def opened_stores(settings: "Settings") -> AsyncGenerator["Stores"]:
    # Imported here: it is most of what a command that asks the database imports, and others do without.
    from assay.adapters.store.offload.folder import OffloadFolder  # noqa: PLC0415
    from assay.adapters.store.stores import open_stores  # noqa: PLC0415

    prepare_home(settings)
    shared = shared_objects(settings)
    # Attempts of offloaded runs: in the folder `offloaded` of the data folder, where nothing is shared.
    offloaded = shared or OffloadFolder(settings.assay_home)
    stores = await open_stores(settings.store_url, shared, offloaded=offloaded)
    try:
        yield stores
    finally:
        await stores.close()


def shared_objects(settings: "Settings") -> "ObjectStore | None":
    """The files that the machines share; None where each keeps its own."""
    if not settings.assay_object_store:
        return None
    from assay.adapters.objects.copies import LocalCopies  # noqa: PLC0415 # few installations have one
    from assay.adapters.objects.location import object_location  # noqa: PLC0415
    from assay.domain.programs.containers import GIB  # noqa: PLC0415

    location = object_location(settings.assay_object_store)
    try:
        from assay.adapters.objects.store import SharedObjects  # noqa: PLC0415 # an optional package
    except ImportError as error:
        raise MissingExtraError("ASSAY_OBJECT_STORE", "objects") from error
    folder, most_bytes = settings.assay_home / "object-cache", settings.assay_object_cache_gb * GIB
    return SharedObjects(location, settings.environment, LocalCopies(folder, most_bytes=most_bytes))


def prepare_home(settings: "Settings") -> None:
    home = settings.assay_home
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StoreError(
            f"cannot create the data folder {str(home)!r}: {error.strerror};"
            " set ASSAY_HOME to a folder you can write to"
        ) from error


@cache
def version() -> str:
    """That of the checkout where this is one: what was installed from it may be of an earlier commit."""
    if of_checkout := checkout_version():
        return of_checkout
    installed = _distribution()
    return installed.version if installed else UNKNOWN


@cache
def git_sha() -> str | None:
    """The commit this code was installed from, where that can be known."""
    installed = _distribution()
    origin = installed.read_text("direct_url.json") if installed else None
    commit = json.loads(origin).get("vcs_info", {}).get("commit_id") if origin else None
    return str(commit) if commit else describe("--abbrev=40", "--exclude=*")


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
        return distribution(DISTRIBUTION)
    except PackageNotFoundError:
        return None
