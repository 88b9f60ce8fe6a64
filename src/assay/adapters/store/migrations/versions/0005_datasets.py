"""Data sets of users."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0005"
down_revision = "0004"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "datasets",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("name", _KEY, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("file_name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("lines", sa.Integer(), nullable=False),
        sa.Column("grading", sa.String(), nullable=False),
        sa.Column("graders", sa.Text(), nullable=False),
        sa.Column("models", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text()),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("removed_at", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_datasets"),
    )
    op.create_index("ix_datasets_name_version", "datasets", ["name", "version"], unique=True)
    op.create_index("ix_datasets_sha256", "datasets", ["sha256"])
