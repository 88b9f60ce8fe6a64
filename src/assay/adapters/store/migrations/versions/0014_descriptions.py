"""What users say about a run: its name, its tags and a note."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    for name in ("name", "tags", "note"):
        op.add_column("runs", sa.Column(name, sa.Text()))
