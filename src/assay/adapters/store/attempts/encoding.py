"""A batch of attempts as the driver takes it, made in this process or in another."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256

from assay.adapters.store.attempts.arrivals import Moments, packed
from assay.adapters.store.database.insert import DriverRow, PreparedInsert
from assay.adapters.store.database.texts import Blob, BlobBatch

_MOST_BYTES_PER_CHARACTER = 4


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

    def long_texts(self, batch: Batch, *, above_bytes: int, is_search_apart: bool) -> dict[bytes, bytes]:
        """By their hashes; those that are searched only where the search has a text of its own."""
        long = _long(batch, self.texts, above_bytes)
        if not is_search_apart:
            for key in _long(batch, self.searched, above_bytes):
                long.pop(key, None)
        return long

    def encoded(
        self, batch: Batch, *, placed: Collection[bytes] = (), added: Collection[Blob] = ()
    ) -> EncodedBatch:
        """With the texts that are `placed` in an object store, and the rows `added` for them."""
        texts = BlobBatch()
        searched: dict[bytes, str] = {}
        rows = [self._hashed(row, texts, searched) for row in batch.attempts]
        return EncodedBatch(
            len(rows),
            batch.evaluation_ids,
            attempts=self.attempts.converted(rows),
            calls=self.calls.converted([_with_packed_arrivals(row) for row in batch.calls]),
            blobs=self.blobs.converted(texts.rows(placed=placed, added=added)),
            searched=searched,
        )

    def _hashed(self, row: Sequence[object], texts: BlobBatch, searched: dict[bytes, str]) -> list[object]:
        values = list(row)
        for index in self.texts:
            text = values[index]
            if isinstance(text, str):
                values[index] = key = texts.add(text)
                if index in self.searched:
                    searched[key] = text
        return values


def _long(batch: Batch, columns: Collection[int], above_bytes: int) -> dict[bytes, bytes]:
    texts = (row[index] for row in batch.attempts for index in columns)
    contents = (
        text.encode("utf-8", "surrogatepass")
        for text in texts
        if isinstance(text, str) and len(text) * _MOST_BYTES_PER_CHARACTER > above_bytes
    )
    return {sha256(content).digest(): content for content in contents if len(content) > above_bytes}


def _with_packed_arrivals(row: tuple[object, ...]) -> tuple[object, ...]:
    stream = row[-1]
    return (*row[:-1], packed(stream)) if isinstance(stream, Moments) else row
