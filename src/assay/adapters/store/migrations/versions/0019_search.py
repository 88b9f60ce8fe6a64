"""An index of prompts and long answers, and in it those that are stored already."""

import sqlalchemy as sa
import zstandard
from alembic import op
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from assay.adapters.store.database.blobs import text_of
from assay.adapters.store.search.index import TABLES
from assay.adapters.store.search.texts import index_texts

revision = "0019"
down_revision = "0018"

_TEXTS_PER_PORTION = 500
_SEARCHED = """
    SELECT prompt_sha256 FROM attempts WHERE prompt_sha256 IS NOT NULL
    UNION SELECT answer_sha256 FROM attempts WHERE answer_sha256 IS NOT NULL
"""
# With the columns that the table has at this point.
_CONTENTS = sa.text(
    "SELECT sha256, content, is_compressed, size FROM blobs WHERE sha256 IN :hashes"
).bindparams(sa.bindparam("hashes", expanding=True))


def upgrade() -> None:
    op.create_table(
        "searched_texts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_searched_texts"),
        sa.UniqueConstraint("sha256", name="uq_searched_texts_sha256"),
    )
    connection = op.get_bind()
    if connection.dialect.name == "postgresql":
        _index_stored(connection)
        _index_trigrams(connection)
        return
    for statement in TABLES:
        op.execute(statement)
    _index_stored(connection)


def _index_stored(connection: Connection) -> None:
    hashes = list(connection.scalars(sa.text(_SEARCHED)))
    for start in range(0, len(hashes), _TEXTS_PER_PORTION):
        index_texts(connection, _texts(connection, hashes[start : start + _TEXTS_PER_PORTION]))


def _texts(connection: Connection, hashes: list[bytes]) -> dict[bytes, str]:
    rows = connection.execute(_CONTENTS, {"hashes": hashes})
    decompress = zstandard.ZstdDecompressor().decompress
    return {
        sha256: text_of(decompress(content, max_output_size=size) if is_compressed else content)
        for sha256, content, is_compressed, size in rows
    }


def _index_trigrams(connection: Connection) -> None:
    """Where the server refuses the extension, searching reads the texts, and takes longer."""
    try:
        with connection.begin_nested():
            connection.execute(sa.text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
    except DBAPIError:
        return
    connection.execute(
        sa.text("CREATE INDEX ix_searched_texts_text ON searched_texts USING gin (text gin_trgm_ops)")
    )
