"""An index of prompts and long answers, and in it those that are stored already."""

from collections.abc import Iterator, Sequence

import sqlalchemy as sa
import zstandard
from alembic import op
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from assay.adapters.store.search.index import TABLES
from assay.adapters.store.search.texts import index_texts

revision = "0019"
down_revision = "0018"

_TEXTS_PER_PORTION = 500
_SEARCHED = """
    SELECT sha256, content, is_compressed, size FROM blobs
    WHERE sha256 IN (SELECT prompt_sha256 FROM attempts UNION SELECT answer_sha256 FROM attempts)
    ORDER BY sha256
"""


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
    for rows in _portions(connection):
        decompress = zstandard.ZstdDecompressor().decompress
        texts = {
            sha256: decompress(content, max_output_size=size) if is_compressed else content
            for sha256, content, is_compressed, size in rows
        }
        index_texts(connection, {key: text.decode("utf-8", "surrogatepass") for key, text in texts.items()})


def _portions(connection: Connection) -> Iterator[Sequence[sa.Row[tuple[bytes, bytes, bool, int]]]]:
    found = connection.execute(sa.text(_SEARCHED), execution_options={"yield_per": _TEXTS_PER_PORTION})
    yield from found.partitions()


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
