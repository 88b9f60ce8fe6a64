"""Who may see a run, and audit entries by time."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("runs", sa.Column("visibility", sa.String(), nullable=False, server_default="team"))
    op.drop_index("ix_runs_is_archived_created_at_id", "runs")
    op.create_index(
        "ix_runs_is_archived_created_at_id_visibility",
        "runs",
        ["is_archived", "created_at", "id", "visibility"],
    )
    op.create_index("ix_audit_at", "audit", ["at"])
