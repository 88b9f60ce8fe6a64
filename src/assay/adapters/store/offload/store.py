"""Moves the attempts of ended runs into files, and back.

The files are written and read back first. Then one transaction marks the run, and from there its attempts are
read from the files; the rows are deleted after it. Whatever is interrupted can be done again.
"""

import asyncio
import hashlib
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from sqlalchemy import Connection, delete, exists, func, insert, or_, select, tuple_, update

from assay.adapters.store.attempts.kept_tallies import Tally, offloaded_runs, tally_text
from assay.adapters.store.attempts.store import SqlAttemptStore
from assay.adapters.store.attempts.tables import attempts, calls
from assay.adapters.store.database.database import Database
from assay.adapters.store.database.transactions import DatabaseStore, read
from assay.adapters.store.evaluations import evaluations
from assay.adapters.store.offload.attempt_file import AttemptDigest, AttemptFileWriter
from assay.adapters.store.offload.files import PREFIX, OffloadedFile, files_of, opened
from assay.adapters.store.offload.sizes import freed_bytes
from assay.adapters.store.offload.tables import offloaded_files
from assay.adapters.store.runs.changes import locked_run
from assay.adapters.store.runs.tables import runs
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.errors import ConflictError, StoreError
from assay.domain.run import FINAL_STATES, Evaluation, EvaluationId, Run, RunId
from assay.engine.stores.offload import Offloadable, OffloadedRun, OffloadFiles
from assay.engine.stores.runs import RunStore

_PORTION = 200
_DELETED_PER_TRANSACTION = 500


class SqlOffloadStore(DatabaseStore):
    """`stored` are the attempts in the database alone."""

    def __init__(
        self, database: Database, files: OffloadFiles, *, stored: SqlAttemptStore, run_store: RunStore
    ) -> None:
        super().__init__(database)
        self._files = files
        self._stored = stored
        self._runs = run_store

    @read
    def ended_before(self, connection: Connection, moment: datetime) -> Sequence[RunId]:
        is_unfinished = exists().where(offloaded_runs.c.run_id == runs.c.id, offloaded_runs.c.has_rows)
        statement = select(runs.c.id).where(
            runs.c.state.in_(sorted(state.value for state in FINAL_STATES)),
            runs.c.finished_at < moment,
            or_(runs.c.offloaded_at.is_(None), is_unfinished),
        )
        return connection.scalars(statement.order_by(runs.c.finished_at, runs.c.id)).all()

    @read
    def measure(self, connection: Connection, run_ids: Sequence[RunId]) -> Offloadable:
        counted = (
            select(evaluations.c.run_id, func.count())
            .join_from(evaluations, attempts, attempts.c.evaluation_id == evaluations.c.id)
            .where(evaluations.c.run_id.in_(run_ids))
            .group_by(evaluations.c.run_id)
        )
        found = {run_id: count for run_id, count in connection.execute(counted)}  # noqa: C416 # rows are no pairs to a type checker
        return Offloadable(
            {run_id: found.get(run_id, 0) for run_id in run_ids}, freed_bytes(connection, run_ids)
        )

    async def offload(self, run_id: RunId, *, at: datetime) -> OffloadedRun:
        run = await self._runs.get(run_id)
        if run.offloaded_at is None:
            if not run.state.is_final:
                raise ConflictError(
                    f"run {run.id[:8]!r} is {run.state.value}: only runs that have ended can be offloaded"
                )
            written = [await self._write(run, one) for one in await self._runs.evaluations(run.id)]
            tally = await self._tally(run.id)
            await self.database.write(partial(_mark, run=run, files=written, tally=tally, at=at))
        files = await self.database.read(partial(files_of, run_id=run.id))
        for file in files:
            await self._delete_rows(file)
        await self.database.write(partial(_set_cleared, run_id=run.id))
        await self._delete_files(f"{PREFIX}{run.id}/", keep={file.name for file in files})
        return _report(run.id, files)

    async def restore(self, run_id: RunId) -> OffloadedRun:
        run = await self._runs.get(run_id)
        if run.offloaded_at is None:
            raise ConflictError(f"run {run.id[:8]!r} is not offloaded")
        files = await self.database.read(partial(files_of, run_id=run.id))
        for file in files:
            async with opened(file, self._files, with_texts=True) as portions:
                while portion := await asyncio.to_thread(next, portions, None):
                    # One that was interrupted has brought some back.
                    keys = [one.key for one in portion]
                    here = await self._stored.stored_among(file.evaluation_id, keys)
                    await self._stored.add([one for one in portion if one.key not in here])
        await self.database.write(partial(_unmark, run_id=run.id))
        await self._delete_files(f"{PREFIX}{run.id}/", keep=set())
        return _report(run.id, files)

    async def delete_unused_files(self) -> None:
        """Files of a run that is being offloaded are of a run that exists."""
        known: dict[str, bool] = {}
        unused: list[str] = []
        for name in await asyncio.to_thread(self._files.names, PREFIX):
            run_id = name.removeprefix(PREFIX).partition("/")[0]
            if run_id not in known:
                known[run_id] = await self.database.read(partial(_exists, run_id=run_id))
            if not known[run_id]:
                unused.append(name)
        await asyncio.to_thread(self._files.remove, unused)

    async def _write(self, run: Run, evaluation: Evaluation) -> OffloadedFile:
        """Write the file of one evaluation and read it back; raises StoreError unless it holds the same."""
        about = {
            "run": run.id,
            "evaluation": evaluation.id,
            "model": evaluation.model,
            "benchmark": f"{evaluation.benchmark} {evaluation.benchmark_version}",
            "fingerprint": evaluation.fingerprint.value,
        }
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            local = Path(folder, "attempts.parquet")
            writer = await asyncio.to_thread(AttemptFileWriter, local, about)
            try:
                async for portion in _portions(self._stored.whole(evaluation.id)):
                    await asyncio.to_thread(writer.add, portion)
            finally:
                await asyncio.to_thread(writer.close)
            sha256, size = await asyncio.to_thread(_facts, local)
            # Named by its content: what another process writes at the same time replaces nothing.
            name = f"{PREFIX}{run.id}/{evaluation.id}-{sha256[:16]}.parquet"
            await asyncio.to_thread(self._files.put, name, local)
        file = OffloadedFile(evaluation.id, run.id, name, sha256, size, writer.digest.count)
        async with opened(file, self._files, with_texts=True) as portions:
            digest = await asyncio.to_thread(_digest, portions)
        if (digest.count, digest.hexdigest()) != (file.attempts, writer.digest.hexdigest()):
            raise StoreError(
                f"the attempts of {evaluation.model!r} on {evaluation.benchmark!r} read back from {name!r}"
                " are not those of the database: nothing was deleted"
            )
        return file

    async def _tally(self, run_id: RunId) -> Tally:
        return Tally(
            await self._stored.outcome_counts([run_id]),
            await self._stored.error_kinds([run_id]),
            await self._stored.tokens_used([run_id]),
            await self._stored.latencies([run_id]),
            await self._stored.spent(run_id),
        )

    async def _delete_rows(self, file: OffloadedFile) -> None:
        """Those that are in the file, and no other: also when done for the second time."""
        async with opened(file, self._files, with_texts=False) as portions:
            keys: list[AttemptKey] = []
            while portion := await asyncio.to_thread(next, portions, None):
                keys += [one.key for one in portion]
                if len(keys) >= _DELETED_PER_TRANSACTION:
                    await self.database.write(partial(_delete, evaluation_id=file.evaluation_id, keys=keys))
                    keys = []
            if keys:
                await self.database.write(partial(_delete, evaluation_id=file.evaluation_id, keys=keys))

    async def _delete_files(self, prefix: str, *, keep: set[str]) -> None:
        found = await asyncio.to_thread(self._files.names, prefix)
        await asyncio.to_thread(self._files.remove, [name for name in found if name not in keep])


async def _portions(found: AsyncIterator[Attempt]) -> AsyncIterator[list[Attempt]]:
    portion: list[Attempt] = []
    async for one in found:
        portion.append(one)
        if len(portion) == _PORTION:
            yield portion
            portion = []
    if portion:
        yield portion


def _facts(local: Path) -> tuple[str, int]:
    with local.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest(), local.stat().st_size


def _digest(portions: Iterator[list[Attempt]]) -> AttemptDigest:
    digest = AttemptDigest()
    for portion in portions:
        for one in portion:
            digest.add(one)
    return digest


def _mark(
    connection: Connection, *, run: Run, files: Sequence[OffloadedFile], tally: Tally, at: datetime
) -> None:
    """Nothing is changed where another process has marked it; raises ConflictError if the run has changed."""
    now = locked_run(connection, run.id)
    if now.offloaded_at is not None:
        return
    if (now.state, now.finished_at) != (run.state, run.finished_at):
        raise ConflictError(f"run {run.id[:8]!r} was opened again while it was offloaded: it stays")
    connection.execute(insert(offloaded_runs).values(run_id=run.id, tally=tally_text(tally), has_rows=True))
    for file in files:
        values = {column.name: getattr(file, column.name) for column in offloaded_files.columns}
        connection.execute(insert(offloaded_files).values(values))
    connection.execute(update(runs).where(runs.c.id == run.id).values(offloaded_at=at))


def _set_cleared(connection: Connection, *, run_id: RunId) -> None:
    statement = update(offloaded_runs).where(offloaded_runs.c.run_id == run_id)
    connection.execute(statement.values(has_rows=False))


def _unmark(connection: Connection, *, run_id: RunId) -> None:
    locked_run(connection, run_id)
    connection.execute(delete(offloaded_files).where(offloaded_files.c.run_id == run_id))
    connection.execute(delete(offloaded_runs).where(offloaded_runs.c.run_id == run_id))
    connection.execute(update(runs).where(runs.c.id == run_id).values(offloaded_at=None))


def _delete(connection: Connection, *, evaluation_id: EvaluationId, keys: Sequence[AttemptKey]) -> None:
    for table in (calls, attempts):
        own = tuple_(table.c.item_id, table.c.sample).in_(keys)
        connection.execute(delete(table).where(table.c.evaluation_id == evaluation_id, own))


def _exists(connection: Connection, *, run_id: str) -> bool:
    return connection.scalar(select(runs.c.id).where(runs.c.id == run_id)) is not None


def _report(run_id: RunId, files: Sequence[OffloadedFile]) -> OffloadedRun:
    return OffloadedRun(run_id, sum(file.attempts for file in files), sum(file.size for file in files))
