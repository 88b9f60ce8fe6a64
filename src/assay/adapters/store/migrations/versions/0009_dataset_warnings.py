"""What was odd in the file of a data set."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("datasets", sa.Column("warnings", sa.Text(), nullable=False, server_default="[]"))
    op.add_column("datasets", sa.Column("warning_count", sa.Integer(), nullable=False, server_default="0"))
