"""How the workers of a run share its connections."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "connection_shares",
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("worker_id", _KEY, nullable=False),
        sa.Column("connections", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "worker_id", name="pk_connection_shares"),
    )
