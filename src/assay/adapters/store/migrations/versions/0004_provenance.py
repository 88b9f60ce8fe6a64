"""What a run was executed with and on: environment, endpoints, what each item was."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("runs", sa.Column("environment", sa.Text()))
    op.add_column("evaluations", sa.Column("endpoint", sa.Text()))
    op.add_column("evaluations", sa.Column("facts_sha256", sa.LargeBinary()))
