"""Long texts by the hash of their content, so that what many attempts share is stored once."""

from collections.abc import Collection

import zstandard
from sqlalchemy import Connection, select

from assay.adapters.store import tables
from assay.domain.errors import StoreError

# Databases limit the parameters of one statement; SQLite once to 999.
_HASHES_PER_QUERY = 500


def read_blobs(connection: Connection, hashes: Collection[bytes | None]) -> dict[bytes, bytes]:
    """The contents behind the hashes; None stands for no blob."""
    wanted = sorted({sha256 for sha256 in hashes if sha256 is not None})
    found: dict[bytes, bytes] = {}
    decompress = zstandard.ZstdDecompressor().decompress
    for start in range(0, len(wanted), _HASHES_PER_QUERY):
        part = wanted[start : start + _HASHES_PER_QUERY]
        for sha256, content, is_compressed, size in connection.execute(_SELECT.where(_HASH.in_(part))):
            found[sha256] = decompress(content, max_output_size=size) if is_compressed else content
    if len(found) < len(wanted):
        raise StoreError(
            f"{len(wanted) - len(found)} stored texts are missing; restore the database from a backup"
        )
    return found


def text_of(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")


_HASH = tables.blobs.c.sha256
_SELECT = select(_HASH, tables.blobs.c.content, tables.blobs.c.is_compressed, tables.blobs.c.size)
