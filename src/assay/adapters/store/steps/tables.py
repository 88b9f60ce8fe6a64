"""Replies within attempts under way."""

from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, Table

from assay.adapters.store.database.columns import Key
from assay.adapters.store.database.metadata import metadata

steps = Table(
    "steps",
    metadata,
    Column("evaluation_id", Key, ForeignKey("evaluations.id", ondelete="CASCADE"), primary_key=True),
    Column("item_id", Key, primary_key=True),
    Column("sample", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("step", LargeBinary, nullable=False),
)
