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
    searched: dict[bytes, str]


@dataclass(frozen=True, slots=True)
class BatchInserts:
    """Statements for one database; `texts` are the columns of an attempt that hold the hash of a text.

    Those of them that are searched are in `searched`.
    """

    attempts: PreparedInsert
    calls: PreparedInsert
    blobs: PreparedInsert
    texts: tuple[int, ...]
    searched: frozenset[int]

    def encoded(self, batch: Batch) -> EncodedBatch:
        texts = BlobBatch()
        searched: dict[bytes, str] = {}
        rows = [self._hashed(row, texts, searched) for row in batch.attempts]
        return EncodedBatch(
            len(rows),
            batch.evaluation_ids,
            attempts=self.attempts.converted(rows),
            calls=self.calls.converted([_with_packed_arrivals(row) for row in batch.calls]),
            blobs=self.blobs.converted(texts.rows()),
            searched=searched,
        )

    def _hashed(self, row: Sequence[object], texts: BlobBatch, searched: dict[bytes, str]) -> list[object]:
        values = list(row)
        for index in self.texts:
            text = values[index]
            if isinstance(text, str):
                values[index] = sha256 = texts.add(text)
                if index in self.searched:
                    searched[sha256] = text
        return values


def _with_packed_arrivals(row: tuple[object, ...]) -> tuple[object, ...]:
    stream = row[-1]
    return (*row[:-1], packed(stream)) if isinstance(stream, Moments) else row
