"""Runs whose attempts are kept in files outside of the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

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
