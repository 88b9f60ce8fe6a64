"""Long texts by the hash of their content, so that what many attempts share is stored once."""

from collections.abc import Collection
from typing import Any

import zstandard
from sqlalchemy import (
    Boolean,
    Column,
    CompoundSelect,
    Connection,
    Integer,
    LargeBinary,
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
)

# Databases limit the parameters of one statement; old versions of SQLite to 999.
_HASHES_PER_QUERY = 500
_SELECT = select(blobs)


def insert_blobs(connection: Connection, batch: BlobBatch) -> None:
    insert_rows(connection, blobs, batch.rows())


def read_blobs(connection: Connection, hashes: Collection[bytes | None]) -> dict[bytes, bytes]:
    """The contents by their hashes; None means no blob."""
    wanted = sorted({sha256 for sha256 in hashes if sha256 is not None})
    found: dict[bytes, bytes] = {}
    decompress = zstandard.ZstdDecompressor().decompress
    for start in range(0, len(wanted), _HASHES_PER_QUERY):
        part = wanted[start : start + _HASHES_PER_QUERY]
        for sha256, content, is_compressed, size in connection.execute(
            _SELECT.where(blobs.c.sha256.in_(part))
        ):
            found[sha256] = decompress(content, max_output_size=size) if is_compressed else content
    if len(found) < len(wanted):
        raise StoreError(
            f"{len(wanted) - len(found)} stored texts are missing; restore the database from a backup"
        )
    return found


def delete_unused_blobs(connection: Connection) -> None:
    lock_blobs(connection)
    connection.execute(delete(blobs).where(blobs.c.sha256.in_(unused_blobs())))


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
