"""Addresses that are notified when a run ends."""

from sqlalchemy import Column, ForeignKey, Index, Integer, LargeBinary, Table, Text

from assay.adapters.store.database.columns import FreeText, Key, Moment
from assay.adapters.store.database.metadata import metadata

webhooks = Table(
    "webhooks",
    metadata,
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True),
    Column("url", Text, nullable=False),
    # NULL where the secret of the installation signs.
    Column("sealed_secret", LargeBinary),
    Column("tries", Integer, nullable=False),
    # NULL once it was delivered or given up.
    Column("next_at", Moment),
    Column("delivered_at", Moment),
    Column("error", FreeText),
    Column("created_at", Moment, nullable=False),
    Index(None, "next_at"),
)
