"""A batch of attempts as the driver takes it, made in this process or in another."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.adapters.store.attempts.arrivals import Moments, packed
from assay.adapters.store.database.insert import DriverRow, PreparedInsert
from assay.adapters.store.database.texts import BlobBatch


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows in the order of the tables' columns, with texts and arrivals as they are."""

    evaluation_ids: frozenset[str]
    attempts: list[tuple[object, ...]]
    calls: list[tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class EncodedBatch:
    """The same as the driver takes it, and the texts apart."""

    count: int
    evaluation_ids: frozenset[str]
    attempts: list[DriverRow]
    calls: list[DriverRow]
    blobs: list[DriverRow]


@dataclass(frozen=True, slots=True)
class BatchInserts:
    """Statements for one database; `texts` are the columns of an attempt that hold the hash of a text."""

    attempts: PreparedInsert
    calls: PreparedInsert
    blobs: PreparedInsert
    texts: tuple[int, ...]

    def encoded(self, batch: Batch) -> EncodedBatch:
        texts = BlobBatch()
        rows = [self._hashed(row, texts) for row in batch.attempts]
        return EncodedBatch(
            len(rows),
            batch.evaluation_ids,
            attempts=self.attempts.converted(rows),
            calls=self.calls.converted([_with_packed_arrivals(row) for row in batch.calls]),
            blobs=self.blobs.converted(texts.rows()),
        )

    def _hashed(self, row: Sequence[object], texts: BlobBatch) -> list[object]:
        values = list(row)
        for index in self.texts:
            text = values[index]
            if isinstance(text, str):
                values[index] = texts.add(text)
        return values


def _with_packed_arrivals(row: tuple[object, ...]) -> tuple[object, ...]:
    stream = row[-1]
    return (*row[:-1], packed(stream)) if isinstance(stream, Moments) else row
