"""Votes between two answers."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0018"
down_revision = "0017"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "arena_votes",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("prompt_id", _KEY, nullable=False),
        sa.Column("winner", sa.String(), nullable=False),
        sa.Column("model_a", sa.Text(), nullable=False),
        sa.Column("model_b", sa.Text(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("user_id", sa.Text()),
        sa.Column("prompt_hash", sa.Text()),
        sa.Column("benchmark", sa.Text()),
        sa.Column("owner", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_arena_votes"),
        sa.UniqueConstraint("prompt_id", name="uq_arena_votes_prompt_id"),
    )
