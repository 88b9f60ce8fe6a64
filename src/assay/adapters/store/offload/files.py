"""The files of offloaded evaluations: which there are, and reading them with their checksum checked."""

import hashlib
import tempfile
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, select

from assay.adapters.store.offload.attempt_file import read_attempts
from assay.adapters.store.offload.tables import offloaded_files
from assay.domain.attempt import Attempt
from assay.domain.errors import StoreError
from assay.domain.run import EvaluationId, RunId
from assay.engine.objects import ObjectStore

PREFIX = "offloaded/"


@dataclass(frozen=True, slots=True)
class OffloadedFile:
    """A row of the table, in the order of its columns."""

    evaluation_id: EvaluationId
    run_id: RunId
    name: str
    sha256: str
    size: int
    attempts: int


def file_of(connection: Connection, evaluation_id: EvaluationId) -> OffloadedFile | None:
    """None where its attempts are in the database."""
    statement = select(offloaded_files).where(offloaded_files.c.evaluation_id == evaluation_id)
    row = connection.execute(statement).one_or_none()
    return None if row is None else OffloadedFile(*row)


def files_of(connection: Connection, run_id: RunId) -> list[OffloadedFile]:
    statement = select(offloaded_files).where(offloaded_files.c.run_id == run_id)
    return [OffloadedFile(*row) for row in connection.execute(statement.order_by(offloaded_files.c.name))]


class OffloadedFiles:
    def __init__(self, objects: ObjectStore) -> None:
        self.objects = objects

    @asynccontextmanager
    async def opened(
        self, file: OffloadedFile, *, with_texts: bool
    ) -> AsyncGenerator[Iterator[list[Attempt]]]:
        """Its attempts, part by part; raises StoreError where the file was changed."""
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            local = Path(folder, "attempts.parquet")
            await self._fetch(file, local)
            yield read_attempts(local, with_texts=with_texts)

    async def _fetch(self, file: OffloadedFile, local: Path) -> None:
        digest = hashlib.sha256()
        with local.open("wb") as target:
            async for piece in self.objects.get(file.name):
                digest.update(piece)
                target.write(piece)
        if digest.hexdigest() != file.sha256:
            raise StoreError(
                f"the offloaded attempts in {file.name!r} are not those that were written: the checksum"
                f" differs; restore the file from a back-up"
            )
