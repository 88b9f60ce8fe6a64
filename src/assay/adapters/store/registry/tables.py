"""Models that providers list."""

from sqlalchemy import Boolean, Column, Index, Integer, Table

from assay.adapters.store.database.columns import Amount, FreeText, Key, Moment, TokenCount
from assay.adapters.store.database.metadata import metadata

models = Table(
    "models",
    metadata,
    # The provider and the slug with a slash between: what a run names the model by.
    Column("id", Key, primary_key=True),
    Column("provider", Key, nullable=False),
    Column("slug", Key, nullable=False),
    Column("name", FreeText, nullable=False),
    Column("is_active", Boolean, nullable=False),
    Column("tagline", FreeText),
    Column("user", FreeText),
    Column("logo", FreeText),
    Column("chute_id", Key),
    Column("instance_count", Integer),
    Column("input_usd_per_million", Amount),
    Column("output_usd_per_million", Amount),
    # Null where the price is unknown.
    Column("price_source", FreeText),
    Column("context_tokens", TokenCount),
    Column("first_seen_at", Moment, nullable=False),
    Column("synced_at", Moment, nullable=False),
    Index(None, "provider"),
    Index(None, "slug"),
    Index(None, "chute_id"),
)
