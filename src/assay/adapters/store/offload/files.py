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
from assay.engine.objects import opened_copy
from assay.engine.stores.offload import OffloadFiles

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


@asynccontextmanager
async def opened(
    file: OffloadedFile, files: OffloadFiles, *, with_texts: bool
) -> AsyncGenerator[Iterator[list[Attempt]]]:
    """Its attempts, part by part; raises StoreError where the file was changed."""
    content = await asyncio.to_thread(opened_copy, lambda: _content(file, files))
    with content:
        yield read_attempts(content, file.name, with_texts=with_texts)


def _content(file: OffloadedFile, files: OffloadFiles) -> BinaryIO:
    path = files.local_copy(file.name, file.sha256)
    if path is None:
        raise DataMissingError(
            f"the offloaded attempts in {file.name!r} are not here: restore the file from a back-up, or work"
            " on the machine that has it"
        )
    return path.open("rb")
