"""Runs that lists leave out."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    archived = sa.Column("is_archived", sa.Boolean(), nullable=False, server_default=sa.false())
    op.add_column("runs", archived)
    op.create_index("ix_runs_is_archived_created_at_id", "runs", ["is_archived", "created_at", "id"])
