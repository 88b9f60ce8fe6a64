"""Runs whose attempts are in files, and the sandbox that a worker uses."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0023"
down_revision = "0022"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.add_column("workers", sa.Column("sandbox", sa.String()))
    op.add_column("runs", sa.Column("offloaded_at", _MOMENT))
    op.create_table(
        "offloaded_runs",
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("tally", sa.Text(), nullable=False),
        sa.Column("has_rows", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_offloaded_runs_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", name="pk_offloaded_runs"),
    )
    op.create_table(
        "offloaded_files",
        sa.Column("evaluation_id", _KEY, nullable=False),
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluations.id"],
            name="fk_offloaded_files_evaluation_id_evaluations",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name="fk_offloaded_files_run_id_runs", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("evaluation_id", name="pk_offloaded_files"),
    )
    op.create_index("ix_offloaded_files_run_id", "offloaded_files", ["run_id"])
