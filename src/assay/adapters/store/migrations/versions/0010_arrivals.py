"""When the chunks of each streamed reply arrived."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("calls", sa.Column("arrivals", sa.LargeBinary()))
