"""Events of runs."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, String, Table, Text

from assay.adapters.store.database.columns import FreeText, Key, Moment
from assay.adapters.store.database.metadata import metadata

events = Table(
    "events",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("type", String, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("message", FreeText, nullable=False),
    Column("benchmark", FreeText),
    Column("model", FreeText),
    Column("data", Text),
    Index(None, "run_id", "id"),
    # Without it SQLite gives the id of a deleted last row to the next one.
    sqlite_autoincrement=True,
)
