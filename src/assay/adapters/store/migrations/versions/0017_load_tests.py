"""Load tests and their results."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0017"
down_revision = "0016"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "load_tests",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_load_tests"),
    )
    op.create_index("ix_load_tests_created_at", "load_tests", ["created_at"])
