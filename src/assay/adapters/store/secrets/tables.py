"""Sealed keys of callers."""

from sqlalchemy import Column, ForeignKey, Index, LargeBinary, Table

from assay.adapters.store.database.columns import Key, Moment
from assay.adapters.store.database.metadata import metadata

secrets = Table(
    "secrets",
    metadata,
    Column("id", Key, primary_key=True),
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("created_at", Moment, nullable=False),
    Index(None, "run_id"),
)
