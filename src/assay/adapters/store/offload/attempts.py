"""Attempts in the database, and those of offloaded runs in their files."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection

from assay.adapters.store.attempts.kept_tallies import Tally, tallies
from assay.adapters.store.attempts.store import SqlAttemptStore
from assay.adapters.store.attempts.writer_process import BatchWriter
from assay.adapters.store.database.database import Database
from assay.adapters.store.database.remote_texts import RemoteTexts
from assay.adapters.store.database.transactions import read
from assay.adapters.store.offload.choosing import chosen, is_read_from_files
from assay.adapters.store.offload.files import OffloadedFile, file_of, opened
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.errors import OffloadedError
from assay.domain.outcome import FINAL, Outcome
from assay.domain.run import EvaluationId, RunId
from assay.domain.summary import Tokens
from assay.engine.stores.attempts import AttemptFilter, ErrorKind, FoundAttempts, SampleCount, Spent
from assay.engine.stores.latencies import Latencies
from assay.engine.stores.offload import OffloadFiles


class OffloadableAttempts(SqlAttemptStore):
    """Reads whole evaluations from wherever they are; looking single attempts up raises OffloadedError."""

    def __init__(
        self,
        database: Database,
        files: OffloadFiles,
        writer: BatchWriter | None = None,
        remote: RemoteTexts | None = None,
    ) -> None:
        super().__init__(database, writer, remote)
        self._files = files

    async def results(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        async for one in self._read(evaluation_id, super().results(evaluation_id), with_texts=False):
            yield one

    async def whole(self, evaluation_id: EvaluationId) -> AsyncIterator[Attempt]:
        async for one in self._read(evaluation_id, super().whole(evaluation_id), with_texts=True):
            yield one

    async def answers(self, evaluation_id: EvaluationId) -> AsyncIterator[tuple[AttemptKey, str]]:
        if await self._file_of(evaluation_id) is None:
            async for answer in super().answers(evaluation_id):
                yield answer
            return
        async for one in self.whole(evaluation_id):
            if one.outcome in FINAL:
                yield one.key, one.answer

    async def _read(
        self, evaluation_id: EvaluationId, stored: AsyncIterator[Attempt], *, with_texts: bool
    ) -> AsyncGenerator[Attempt]:
        file = await self._file_of(evaluation_id)
        if file is None:
            async for one in stored:
                yield one
            return
        async with opened(file, self._files, with_texts=with_texts) as portions:
            while portion := await asyncio.to_thread(next, portions, None):
                for one in portion:
                    yield one

    async def keys(self, evaluation_id: EvaluationId, *, verdicts_only: bool = False) -> set[AttemptKey]:
        await self._require_here(evaluation_id)
        return await super().keys(evaluation_id, verdicts_only=verdicts_only)

    async def page(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> tuple[Attempt, ...]:
        """Of an offloaded evaluation, in the order of items and chosen by outcome and key alone."""
        if await self._file_of(evaluation_id) is None:
            return await super().page(evaluation_id, wanted)
        if not is_read_from_files(wanted):
            await self._require_here(evaluation_id)
        found: list[Attempt] = []
        async for one in chosen(self.whole(evaluation_id), wanted):
            found.append(replace(one, calls=()))
            if len(found) == wanted.offset + wanted.limit:
                break
        return tuple(found[wanted.offset :])

    async def found(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> FoundAttempts:
        await self._require_here(evaluation_id)
        return await super().found(evaluation_id, wanted)

    async def samples_of(
        self, evaluation_id: EvaluationId, items: Collection[ItemId]
    ) -> Mapping[ItemId, SampleCount]:
        await self._require_here(evaluation_id)
        return await super().samples_of(evaluation_id, items)

    async def count(self, evaluation_id: EvaluationId, wanted: AttemptFilter) -> int:
        file = await self._file_of(evaluation_id)
        if file is not None and wanted == AttemptFilter(limit=wanted.limit, offset=wanted.offset):
            return file.attempts
        await self._require_here(evaluation_id)
        return await super().count(evaluation_id, wanted)

    async def get(self, evaluation_id: EvaluationId, key: AttemptKey) -> Attempt:
        await self._require_here(evaluation_id)
        return await super().get(evaluation_id, key)

    async def stored_among(
        self, evaluation_id: EvaluationId, keys: Sequence[AttemptKey], *, verdicts_only: bool = False
    ) -> set[AttemptKey]:
        found = await super().stored_among(evaluation_id, keys, verdicts_only=verdicts_only)
        if not found:
            await self._require_here(evaluation_id)
        return found

    async def missing(self, evaluation_id: EvaluationId) -> frozenset[AttemptKey]:
        await self._require_here(evaluation_id)
        return await super().missing(evaluation_id)

    @read
    def _file_of(self, connection: Connection, evaluation_id: EvaluationId) -> OffloadedFile | None:
        return file_of(connection, evaluation_id)

    @read
    def _require_here(self, connection: Connection, evaluation_id: EvaluationId) -> None:
        require_here(connection, evaluation_id)

    async def spent(self, run_id: RunId) -> Spent:
        kept, here = await self._kept([run_id])
        return await super().spent(run_id) if here else kept[run_id].spent

    async def outcome_counts(self, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, Mapping[Outcome, int]]:
        kept, here = await self._kept(run_ids)
        found = dict(await super().outcome_counts(here))
        for tally in kept.values():
            found |= tally.outcome_counts
        return found

    async def error_kinds(self, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, tuple[ErrorKind, ...]]:
        kept, here = await self._kept(run_ids)
        found = dict(await super().error_kinds(here))
        for tally in kept.values():
            found |= tally.error_kinds
        return found

    async def tokens_used(self, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, Tokens]:
        kept, here = await self._kept(run_ids)
        found = dict(await super().tokens_used(here))
        for tally in kept.values():
            found |= tally.tokens_used
        return found

    async def latencies(self, run_ids: Sequence[RunId]) -> Mapping[str, Latencies]:
        kept, here = await self._kept(run_ids)
        found = dict(await super().latencies(here))
        for tally in kept.values():
            for model, own in tally.latencies.items():
                found[model] = found.get(model, Latencies()) + own
        return found

    async def _kept(self, run_ids: Sequence[RunId]) -> tuple[dict[RunId, Tally], list[RunId]]:
        """The tallies of those that are offloaded, and the others."""
        kept = await self.database.read(lambda connection: tallies(connection, run_ids))
        return kept, [run_id for run_id in run_ids if run_id not in kept]


def require_here(connection: Connection, evaluation_id: EvaluationId) -> None:
    """Raises OffloadedError where its attempts are in a file."""
    file = file_of(connection, evaluation_id)
    if file is not None:
        raise OffloadedError(file.run_id)
