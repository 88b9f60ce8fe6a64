"""Owners of annotations, access keys that expire, and webhooks of runs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0013"
down_revision = "0012"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.add_column("annotations", sa.Column("owner", sa.Text()))
    op.add_column("access_keys", sa.Column("expires_at", _MOMENT))
    op.create_table(
        "webhooks",
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("sealed_secret", sa.LargeBinary()),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_at", _MOMENT),
        sa.Column("delivered_at", _MOMENT),
        sa.Column("error", sa.Text()),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name="pk_webhooks"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_webhooks_run_id", ondelete="CASCADE"),
    )
    op.create_index("ix_webhooks_next_at", "webhooks", ["next_at"])
