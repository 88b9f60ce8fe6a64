"""The files of offloaded evaluations: which there are, and reading them with their checksum checked."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import BinaryIO

from sqlalchemy import Connection, select

from assay.adapters.store.offload.attempt_file import read_attempts
from assay.adapters.store.offload.tables import offloaded_files
from assay.domain.attempt import Attempt
from assay.domain.errors import DataMissingError
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
        """Its attempts, part by part; raises StoreError where it is absent or was changed."""
        content = await asyncio.to_thread(self._open, file)
        with content:
            yield read_attempts(content, file.name, with_texts=with_texts)

    def _open(self, file: OffloadedFile) -> BinaryIO:
        local = self.objects.local_copy(file.name, file.sha256)
        if local is None:
            raise DataMissingError(
                f"the offloaded attempts in {file.name!r} are not there; restore that file from a back-up, or"
                " work on the machine that has it"
            )
        return local.open("rb")
