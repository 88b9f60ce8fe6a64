"""Long texts by the hash of their content, so that what many attempts share is stored once."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import zstandard
from sqlalchemy import (
    Boolean,
    Column,
    CompoundSelect,
    Connection,
    Integer,
    LargeBinary,
    String,
    Table,
    delete,
    except_,
    select,
    text,
)

from assay.adapters.store.database.metadata import metadata
from assay.adapters.store.database.prepared import insert_rows
from assay.adapters.store.database.texts import BlobBatch
from assay.domain.errors import StoreError


class BlobKey(LargeBinary):
    """The hash of the blob that a row refers to."""


blobs = Table(
    "blobs",
    metadata,
    Column("sha256", LargeBinary, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("is_compressed", Boolean, nullable=False),
    Column("size", Integer, nullable=False),
    Column("object_id", String),
)

# Databases limit the parameters of one statement; old versions of SQLite to 999.
_HASHES_PER_QUERY = 500
_SELECT = select(blobs)
GIVEN_TEXTS = "assay_given_texts"


class RemoteText(NamedTuple):
    """A text whose content is in an object."""

    sha256: bytes
    object_id: str
    size: int


class TextsElsewhereError(StoreError):
    """Ends a transaction that needs them; it is run again when they were fetched."""

    def __init__(self, texts: Collection[RemoteText]) -> None:
        super().__init__(
            f"{len(texts)} stored texts are in an object store: set ASSAY_OBJECT_STORE to the one that they"
            " were written to"
        )
        self.texts = texts


def insert_blobs(connection: Connection, batch: BlobBatch) -> None:
    insert_rows(connection, blobs, batch.rows())


def read_blobs(connection: Connection, hashes: Collection[bytes | None]) -> dict[bytes, bytes]:
    """The contents by their hashes; None means no blob. Raises TextsElsewhereError."""
    given: Mapping[bytes, bytes] = connection.get_execution_options().get(GIVEN_TEXTS, {})
    wanted = sorted({sha256 for sha256 in hashes if sha256 is not None and sha256 not in given})
    found = {sha256: given[sha256] for sha256 in hashes if sha256 is not None and sha256 in given}
    expected = len(found) + len(wanted)
    remote: list[RemoteText] = []
    decompress = zstandard.ZstdDecompressor().decompress
    for start in range(0, len(wanted), _HASHES_PER_QUERY):
        part = wanted[start : start + _HASHES_PER_QUERY]
        for sha256, content, is_compressed, size, object_id in connection.execute(
            _SELECT.where(blobs.c.sha256.in_(part))
        ):
            if object_id is not None:
                remote.append(RemoteText(sha256, object_id, size))
            else:
                found[sha256] = decompress(content, max_output_size=size) if is_compressed else content
    if remote:
        raise TextsElsewhereError(remote)
    if len(found) < expected:
        raise StoreError(
            f"{expected - len(found)} stored texts are missing; restore the database from a backup"
        )
    return found


def delete_unused_blobs(connection: Connection) -> list[RemoteText]:
    """Returns those whose objects can be removed once this is committed."""
    lock_blobs(connection)
    is_unused = blobs.c.sha256.in_(unused_blobs())
    remote = select(blobs.c.sha256, blobs.c.object_id, blobs.c.size).where(
        is_unused, blobs.c.object_id.is_not(None)
    )
    removed = [RemoteText(*row) for row in connection.execute(remote)]
    connection.execute(delete(blobs).where(is_unused))
    return removed


def lock_blobs(connection: Connection) -> None:
    """Waits for transactions that write: one could refer to a blob that it found here."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("LOCK TABLE blobs IN SHARE ROW EXCLUSIVE MODE"))


def unused_blobs() -> CompoundSelect[Any]:
    """The hashes of those that no row refers to."""
    references = (
        column
        for table in metadata.tables.values()
        for column in table.columns
        if isinstance(column.type, BlobKey)
    )
    return except_(select(blobs.c.sha256), *map(select, references))


def text_of(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")
