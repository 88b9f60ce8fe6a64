"""Shards, workers and idempotency keys; the hash of an attempt's item, and an index for running totals."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0002"
down_revision = "0001"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.add_column("attempts", sa.Column("item_hash", sa.String()))
    tally = ["evaluation_id", "outcome", "cost_usd", "judge_cost_usd", "input_tokens", "output_tokens"]
    op.create_index("ix_attempts_tally", "attempts", tally)
    _create_shards()
    _create_workers()
    _create_idempotency_keys()


def _create_shards() -> None:
    op.create_table(
        "shards",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("evaluation_id", _KEY, nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("stop", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("retries_missing", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_shards"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_shards_run_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluations.id"], name="fk_shards_evaluation_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_shards_evaluation_id_state", "shards", ["evaluation_id", "state"])
    op.create_index("ix_shards_run_id", "shards", ["run_id"])


def _create_workers() -> None:
    op.create_table(
        "workers",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("last_seen", _MOMENT, nullable=False),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("running", sa.Text(), nullable=False),
        sa.Column("endpoints", sa.Text(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("is_draining", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_workers"),
    )


def _create_idempotency_keys() -> None:
    op.create_table(
        "idempotency_keys",
        sa.Column("owner", _KEY, nullable=False),
        sa.Column("key", _KEY, nullable=False),
        sa.Column("request_hash", sa.String()),
        sa.Column("run_id", _KEY, nullable=False),
        sa.PrimaryKeyConstraint("owner", "key", name="pk_idempotency_keys"),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["runs.id"],
            name="fk_idempotency_keys_run_id",
            ondelete="CASCADE",
            deferrable=True,
            initially="DEFERRED",
        ),
    )
    op.create_index("ix_idempotency_keys_run_id", "idempotency_keys", ["run_id"])
