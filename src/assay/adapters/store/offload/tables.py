"""Runs whose attempts are in files, and these files."""

from sqlalchemy import BigInteger, Boolean, Column, ForeignKey, Index, Integer, String, Table, Text

from assay.adapters.store.database.columns import Key
from assay.adapters.store.database.metadata import metadata

offloaded_runs = Table(
    "offloaded_runs",
    metadata,
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    # What is counted and summed over the attempts of runs.
    Column("tally", Text, nullable=False),
    # Whether attempts may be left in the database: the process that deleted them may have been killed.
    Column("has_rows", Boolean, nullable=False),
)

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
