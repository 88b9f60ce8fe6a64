"""Long texts in the index, written and removed with the blobs that hold them."""

import sqlite3
from collections.abc import Mapping
from typing import cast

import orjson
from sqlalchemy import Connection, Text, bindparam, delete, select, text

from assay.adapters.store.database.blobs import lock_blobs, read_blobs, text_of, unused_blobs
from assay.adapters.store.search.index import add_texts, indexed, remove_texts
from assay.adapters.store.search.tables import searched_texts

_TEXTS_PER_TRANSACTION = 1_000
_INSERT = text(
    "INSERT INTO searched_texts (sha256, text)"
    " SELECT sha256, text FROM json_populate_recordset(NULL::searched_texts, CAST(:rows AS json))"
    " ON CONFLICT DO NOTHING"
).bindparams(bindparam("rows", type_=Text))


def index_texts(connection: Connection, texts: Mapping[bytes, str]) -> None:
    """Make the texts, given by the hash of their blobs, searchable."""
    if not texts:
        return
    if connection.dialect.name != "postgresql":
        add_texts(_of_driver(connection), texts)
        return
    # Sorted, so that two transactions with the same texts cannot deadlock.
    rows = [{"sha256": f"\\x{key.hex()}", "text": indexed(texts[key])} for key in sorted(texts)]
    connection.execute(_INSERT, {"rows": orjson.dumps(rows).decode()})


def forget_unused(connection: Connection) -> bool:
    """Remove texts that nothing refers to from the index; whether there may be more of them.

    FTS5 reads a text once more to remove it: a thousand at a time, so that others may write in between.
    """
    lock_blobs(connection)
    unused = searched_texts.c.sha256.in_(unused_blobs())
    if connection.dialect.name == "postgresql":
        connection.execute(delete(searched_texts).where(unused))
        return False
    found = select(searched_texts.c.id, searched_texts.c.sha256).where(unused).limit(_TEXTS_PER_TRANSACTION)
    rows = connection.execute(found).all()
    contents = read_blobs(connection, [row.sha256 for row in rows])
    remove_texts(_of_driver(connection), {row.id: text_of(contents[row.sha256]) for row in rows})
    return len(rows) == _TEXTS_PER_TRANSACTION


def _of_driver(connection: Connection) -> sqlite3.Connection:
    # SQLAlchemy names only what the connections of all drivers have.
    return cast("sqlite3.Connection", connection.connection.dbapi_connection)
