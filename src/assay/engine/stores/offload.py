"""Runs whose attempts are kept in files outside of the database."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from assay.domain.errors import StoreError
from assay.domain.run import RunId


@dataclass(frozen=True, slots=True)
class Offloadable:
    """What offloading some runs would move, by run, and about how many bytes of the database it frees."""

    attempts: Mapping[RunId, int]
    freed_bytes: int


@dataclass(frozen=True, slots=True)
class OffloadedRun:
    run_id: RunId
    attempts: int
    file_bytes: int


class OffloadFiles(Protocol):
    """Files by names such as `offloaded/<run>/<evaluation>.parquet`.

    Calls block: they are for threads. All raise StoreError. A file that is there was written whole.
    """

    def put(self, name: str, content: Path) -> None:
        """Store or replace it, in one step."""
        ...

    def local_copy(self, name: str, sha256: str) -> Path | None:
        """A checked copy on this machine of a file with this content, to be opened at once; None if none."""
        ...

    def remove(self, names: Collection[str]) -> None:
        """Remove those that exist."""
        ...

    def names(self, prefix: str) -> Collection[str]:
        """The names that begin with this, which ends with `/`."""
        ...


class NoOffloadFiles:
    """Used where no place for files is set up."""

    def put(self, name: str, content: Path) -> None:  # noqa: ARG002
        raise StoreError(f"there is no place for the file {name!r}: this process was started without one")

    def local_copy(self, name: str, sha256: str) -> Path | None:  # noqa: ARG002
        return None

    def remove(self, names: Collection[str]) -> None: ...

    def names(self, prefix: str) -> Collection[str]:  # noqa: ARG002
        return ()


class OffloadStore(Protocol):
    async def ended_before(self, moment: datetime) -> Sequence[RunId]:
        """Runs that ended before, the oldest first, whose attempts are still in the database."""
        ...

    async def measure(self, run_ids: Sequence[RunId]) -> Offloadable: ...

    async def offload(self, run_id: RunId, *, at: datetime) -> OffloadedRun:
        """Move its attempts, their calls and texts into files; one that was interrupted is finished.

        They are deleted from the database once the files were read back and hold the same. Raises
        ConflictError unless the run has ended. Its texts go with `RunStore.delete_unused_texts`.
        """
        ...

    async def restore(self, run_id: RunId) -> OffloadedRun:
        """Bring them back and delete the files; raises ConflictError unless the run is offloaded."""
        ...

    async def delete_unused_files(self) -> None:
        """Delete the files of runs that are deleted."""
        ...
