"""Long texts in an object store, where one is set up."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("blobs", sa.Column("object_id", sa.String()))
