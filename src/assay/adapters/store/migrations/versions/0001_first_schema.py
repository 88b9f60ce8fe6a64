"""Runs, evaluations, attempts, calls, blobs and events."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0001"
down_revision = None

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")
_AMOUNT = sa.String().with_variant(sa.Numeric(), "postgresql")
_DOUBLE: sa.Double[float] = sa.Double()
_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_runs()
    _create_evaluations()
    _create_attempts()
    _create_calls()
    _create_blobs()
    _create_events()


def _create_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text()),
        sa.Column("code_version", sa.String(), nullable=False),
        sa.Column("git_sha", sa.String()),
        sa.Column("error", sa.Text()),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("started_at", _MOMENT),
        sa.Column("finished_at", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_created_at_id", "runs", ["created_at", "id"])
    op.create_index("ix_runs_state", "runs", ["state"])


def _create_evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("benchmark", sa.Text(), nullable=False),
        sa.Column("benchmark_version", sa.String(), nullable=False),
        sa.Column("benchmark_size", sa.Integer(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("fingerprint_fields", sa.Text(), nullable=False),
        sa.Column("items_sha256", sa.LargeBinary(), nullable=False),
        sa.Column("generation", sa.Text(), nullable=False),
        sa.Column("samples", sa.Integer(), nullable=False),
        sa.Column("price", sa.Text()),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("summary", sa.Text()),
        sa.Column("score", _DOUBLE),
        sa.Column("scored", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("started_at", _MOMENT),
        sa.Column("finished_at", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_evaluations"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_evaluations_run_id", ondelete="CASCADE"),
    )
    op.create_index("ix_evaluations_run_id_position", "evaluations", ["run_id", "position"])
    op.create_index("ix_evaluations_fingerprint", "evaluations", ["fingerprint"])
    op.create_index("ix_evaluations_model", "evaluations", ["model"])
    op.create_index("ix_evaluations_benchmark", "evaluations", ["benchmark"])


def _usage_and_timing() -> tuple[sa.Column[object], ...]:
    return (
        sa.Column("input_tokens", sa.BigInteger()),
        sa.Column("output_tokens", sa.BigInteger()),
        sa.Column("reasoning_tokens", sa.BigInteger()),
        sa.Column("cached_tokens", sa.BigInteger()),
        sa.Column("reported_cost_usd", _AMOUNT),
        sa.Column("stream_ms", _DOUBLE),
        sa.Column("ttft_ms", _DOUBLE),
        sa.Column("ttfat_ms", _DOUBLE),
        sa.Column("max_gap_ms", _DOUBLE),
        sa.Column("silence_ms", _DOUBLE),
        sa.Column("stalls", sa.Integer()),
        sa.Column("chunks", sa.Integer()),
        sa.Column("tokens_per_s", _DOUBLE),
    )


def _create_attempts() -> None:
    op.create_table(
        "attempts",
        sa.Column("evaluation_id", _KEY, nullable=False),
        sa.Column("item_id", _KEY, nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("score", _DOUBLE),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("finished_at", _MOMENT, nullable=False),
        sa.Column("extracted", sa.Text()),
        sa.Column("expected", sa.Text()),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("details", sa.Text()),
        sa.Column("answer", sa.Text()),
        sa.Column("answer_sha256", sa.LargeBinary()),
        sa.Column("prompt_sha256", sa.LargeBinary()),
        sa.Column("reasoning_sha256", sa.LargeBinary()),
        sa.Column("test_code_sha256", sa.LargeBinary()),
        sa.Column("finish_reason", sa.Text()),
        sa.Column("is_cut", sa.Boolean(), nullable=False),
        *_usage_and_timing(),
        sa.Column("cost_usd", _AMOUNT),
        sa.Column("judge_cost_usd", _AMOUNT),
        sa.Column("error_code", sa.String()),
        sa.Column("error_message", sa.Text()),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("evaluation_id", "item_id", "sample", name="pk_attempts"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluations.id"], name="fk_attempts_evaluation_id", ondelete="CASCADE"
        ),
    )


def _create_calls() -> None:
    op.create_table(
        "calls",
        sa.Column("evaluation_id", _KEY, nullable=False),
        sa.Column("item_id", _KEY, nullable=False),
        sa.Column("sample", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("duration_ms", _DOUBLE, nullable=False),
        sa.Column("status", sa.Integer()),
        sa.Column("error_code", sa.String()),
        sa.Column("error_message", sa.Text()),
        sa.Column("finish_reason", sa.Text()),
        *_usage_and_timing(),
        sa.Column("served_model", sa.Text()),
        sa.Column("system_fingerprint", sa.Text()),
        sa.Column("concurrency", sa.Integer()),
        sa.PrimaryKeyConstraint("evaluation_id", "item_id", "sample", "number", name="pk_calls"),
        sa.ForeignKeyConstraint(
            ["evaluation_id"], ["evaluations.id"], name="fk_calls_evaluation_id", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )


def _create_blobs() -> None:
    op.create_table(
        "blobs",
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("is_compressed", sa.Boolean(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name="pk_blobs"),
    )


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("id", _SERIAL, nullable=False),
        sa.Column("run_id", _KEY, nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("benchmark", sa.Text()),
        sa.Column("model", sa.Text()),
        sa.Column("data", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_events_run_id", ondelete="CASCADE"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_run_id_id", "events", ["run_id", "id"])
