"""What was fetched: a lock file beside the data, with the digest of every file."""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from assay.domain.calls.messages import Json
from assay.domain.errors import DataChangedError

LOCK_NAME = "assay.lock.json"


@dataclass(frozen=True, slots=True)
class Lock:
    """The SHA-256 of each file that was fetched and checked, by its path in the repository."""

    repository: str
    revision: str
    files: Mapping[str, str] = field(default_factory=dict[str, str])


def read_lock(folder: Path) -> Lock | None:
    """The folder's lock; None if nothing was fetched."""
    file = folder / LOCK_NAME
    try:
        content: Json = json.loads(file.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise _damaged(file, str(error)) from error
    match content:
        case {"repository": str(repository), "revision": str(revision), "files": Mapping() as files}:
            return Lock(repository, revision, {path: str(sha256) for path, sha256 in files.items()})
        case _:
            raise _damaged(file, "it is not a lock file")


def write_lock(folder: Path, lock: Lock) -> None:
    """Replace the folder's lock in one step: readers see the old one or the new one."""
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=LOCK_NAME)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(asdict(lock), stream, indent=2)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(folder / LOCK_NAME)
    finally:
        Path(temporary).unlink(missing_ok=True)


def _damaged(file: Path, fault: str) -> DataChangedError:
    return DataChangedError(f"{file} cannot be read ({fault}); delete it and fetch the data again")
