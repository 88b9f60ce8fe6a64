"""What endpoints may be asked, and which owners a worker serves."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_DOUBLE: sa.Double[float] = sa.Double()
_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "endpoint_quotas",
        sa.Column("endpoint", _KEY, nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("free_at", _DOUBLE, nullable=False),
        sa.PrimaryKeyConstraint("endpoint", "unit", name="pk_endpoint_quotas"),
    )
    op.add_column("workers", sa.Column("only_models", sa.Text(), nullable=False, server_default="[]"))
    op.add_column("workers", sa.Column("only_owners", sa.Text(), nullable=False, server_default="[]"))
