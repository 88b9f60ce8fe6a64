"""Users' own data sets."""

from sqlalchemy import BigInteger, Column, Index, Integer, String, Table, Text

from assay.adapters.store.database.columns import FreeText, Key, Moment
from assay.adapters.store.database.metadata import metadata

datasets = Table(
    "datasets",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Key, nullable=False),
    Column("version", Integer, nullable=False),
    Column("file_name", FreeText, nullable=False),
    Column("sha256", String, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("lines", Integer, nullable=False),
    Column("grading", String, nullable=False),
    Column("graders", Text, nullable=False),
    Column("models", Text, nullable=False),
    Column("owner", FreeText),
    Column("created_at", Moment, nullable=False),
    # Kept after its removal, so that no other content ever gets its version.
    Column("removed_at", Moment),
    Column("warnings", Text, nullable=False, server_default="[]"),
    Column("warning_count", Integer, nullable=False, server_default="0"),
    Index(None, "name", "version", unique=True),
    Index(None, "sha256"),
)
