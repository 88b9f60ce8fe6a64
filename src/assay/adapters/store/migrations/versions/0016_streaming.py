"""How evenly replies arrived, and the replies of attempts under way."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    for table in ("attempts", "calls"):
        op.add_column(table, sa.Column("sandbox_s", sa.Double()))
        op.add_column(table, sa.Column("continuity", sa.Double()))
        op.add_column(table, sa.Column("keep_alives", sa.Integer()))
    op.create_table(
        "steps",
        sa.Column("evaluation_id", _KEY, nullable=False),
        sa.Column("item_id", _KEY, nullable=False),
        sa.Column("sample", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("step", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "item_id", "sample", "number", name="pk_steps"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluations.id"], name="fk_steps_evaluation_id", ondelete="CASCADE"
        ),
    )
