"""Votes between two answers."""

from sqlalchemy import BigInteger, Column, Integer, String, Table

from assay.adapters.store.database.columns import FreeText, Key, Moment
from assay.adapters.store.database.metadata import metadata

# Votes name models, not evaluations: they outlive the runs whose answers they are about.
arena_votes = Table(
    "arena_votes",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("prompt_id", Key, nullable=False, unique=True),
    Column("winner", String, nullable=False),
    Column("model_a", FreeText, nullable=False),
    Column("model_b", FreeText, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("user_id", FreeText),
    Column("prompt_hash", FreeText),
    Column("benchmark", FreeText),
    Column("owner", FreeText),
)
