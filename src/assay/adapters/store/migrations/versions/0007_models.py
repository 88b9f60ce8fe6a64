"""The registry of models."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0007"
down_revision = "0006"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")
_AMOUNT = sa.String().with_variant(sa.Numeric(), "postgresql")


def upgrade() -> None:
    op.create_table(
        "models",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("provider", _KEY, nullable=False),
        sa.Column("slug", _KEY, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("tagline", sa.Text()),
        sa.Column("user", sa.Text()),
        sa.Column("logo", sa.Text()),
        sa.Column("chute_id", _KEY),
        sa.Column("instance_count", sa.Integer()),
        sa.Column("input_usd_per_million", _AMOUNT),
        sa.Column("output_usd_per_million", _AMOUNT),
        sa.Column("price_source", sa.Text()),
        sa.Column("context_tokens", sa.BigInteger()),
        sa.Column("first_seen_at", _MOMENT, nullable=False),
        sa.Column("synced_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_models"),
    )
    op.create_index("ix_models_provider", "models", ["provider"])
    op.create_index("ix_models_slug", "models", ["slug"])
    op.create_index("ix_models_chute_id", "models", ["chute_id"])
