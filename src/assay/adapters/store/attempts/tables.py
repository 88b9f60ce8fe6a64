"""Attempts and the calls that they took."""

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
)

from assay.adapters.store.database.blobs import BlobKey
from assay.adapters.store.database.columns import Amount, FreeText, Key, Moment, TokenCount
from assay.adapters.store.database.metadata import metadata


def _usage_columns() -> tuple[Column[int] | Column[object] | Column[float], ...]:
    return (
        Column("input_tokens", TokenCount),
        Column("output_tokens", TokenCount),
        Column("reasoning_tokens", TokenCount),
        Column("cached_tokens", TokenCount),
        Column("reported_cost_usd", Amount),
        Column("sandbox_s", Double),
    )


def _timing_columns() -> tuple[Column[float] | Column[int], ...]:
    """All of them are null where there was no timing."""
    return (
        Column("stream_ms", Double),
        Column("ttft_ms", Double),
        Column("ttfat_ms", Double),
        Column("max_gap_ms", Double),
        Column("silence_ms", Double),
        Column("stalls", Integer),
        Column("chunks", Integer),
        Column("tokens_per_s", Double),
        Column("continuity", Double),
        Column("keep_alives", Integer),
    )


# Texts are in `blobs` by their hash, without a foreign key: both are written in one transaction, and to check
# four references would cost more than to write the attempt.
attempts = Table(
    "attempts",
    metadata,
    Column("evaluation_id", Key, ForeignKey("evaluations.id", ondelete="CASCADE"), primary_key=True),
    Column("item_id", Key, primary_key=True),
    Column("sample", Integer, primary_key=True, autoincrement=False),
    Column("outcome", String, nullable=False),
    Column("score", Double),
    Column("started_at", Moment, nullable=False),
    Column("finished_at", Moment, nullable=False),
    Column("extracted", FreeText),
    Column("expected", FreeText),
    Column("explanation", FreeText, nullable=False),
    Column("details", Text),
    Column("answer", FreeText),
    Column("answer_sha256", BlobKey),
    Column("prompt_sha256", BlobKey),
    Column("reasoning_sha256", BlobKey),
    Column("test_code_sha256", BlobKey),
    Column("finish_reason", FreeText),
    Column("is_cut", Boolean, nullable=False),
    *_usage_columns(),
    *_timing_columns(),
    Column("cost_usd", Amount),
    Column("judge_cost_usd", Amount),
    Column("error_code", String),
    Column("error_message", FreeText),
    Column("tries", Integer, nullable=False),
    Column("item_hash", String),
    # Holds all that is counted and summed while a run is executed, so that the wide rows are left alone.
    Index(
        "ix_attempts_tally",
        "evaluation_id",
        "outcome",
        "cost_usd",
        "judge_cost_usd",
        "input_tokens",
        "output_tokens",
    ),
)

# Calls refer to the evaluation, not to the attempt: enough to remove them with their run, while Postgres may
# look for an attempt by its composite key among all those of the evaluation.
calls = Table(
    "calls",
    metadata,
    Column("evaluation_id", Key, ForeignKey("evaluations.id", ondelete="CASCADE"), primary_key=True),
    Column("item_id", Key, primary_key=True),
    Column("sample", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("role", String, nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("duration_ms", Double, nullable=False),
    Column("status", Integer),
    Column("error_code", String),
    Column("error_message", FreeText),
    Column("finish_reason", FreeText),
    *_usage_columns(),
    *_timing_columns(),
    Column("served_model", FreeText),
    Column("system_fingerprint", FreeText),
    Column("concurrency", Integer),
    Column("arrivals", LargeBinary),
    sqlite_with_rowid=False,
)
