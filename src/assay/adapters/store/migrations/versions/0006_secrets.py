"""Sealed keys of callers."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0006"
down_revision = "0005"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "secrets",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_secrets"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_secrets_run_id", ondelete="CASCADE"),
    )
    op.create_index("ix_secrets_run_id", "secrets", ["run_id"])
