"""What most commands ask of this installation: its version, its data folder and its database."""

import json
import platform
import subprocess
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from assay.domain.errors import StoreError

if TYPE_CHECKING:
    from assay.engine.stores import Stores
    from assay.engine.stores.offload import OffloadFiles
    from assay.settings import Settings

_SOURCE_TREE = Path(__file__).resolve().parents[2]


@asynccontextmanager
async def opened_stores(settings: "Settings") -> AsyncGenerator["Stores"]:
    # Imported here: it is most of what a command that asks the database imports, and others do without.
    from assay.adapters.store.stores import open_stores  # noqa: PLC0415

    prepare_home(settings)
    stores = await open_stores(settings.store_url, offloaded=offload_files(settings))
    try:
        yield stores
    finally:
        await stores.close()


def offload_files(settings: "Settings") -> "OffloadFiles":
    """Where the attempts of offloaded runs are: in the folder `offloaded` of the data folder."""
    from assay.adapters.store.offload.folder import OffloadFolder  # noqa: PLC0415

    return OffloadFolder(settings.assay_home)


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
    command = [
        "git",
        "-C",
        str(_SOURCE_TREE),
        "describe",
        "--always",
        "--abbrev=40",
        "--dirty",
        "--exclude=*",
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=5)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


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
