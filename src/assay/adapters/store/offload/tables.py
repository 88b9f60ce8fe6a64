"""The files that hold the attempts of offloaded evaluations."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, String, Table

from assay.adapters.store.database.columns import Key
from assay.adapters.store.database.metadata import metadata

offloaded_files = Table(
    "offloaded_files",
    metadata,
    Column("evaluation_id", Key, ForeignKey("evaluations.id", ondelete="CASCADE"), primary_key=True),
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("name", String, nullable=False),
    Column("sha256", String, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("attempts", Integer, nullable=False),
    Index(None, "run_id"),
)
