"""The schema as it is now; the migrations lead to it, and a test holds the two together."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

from assay.adapters.store.columns import Amount, FreeText, Key, Moment

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)

# Structured values are JSON in text columns: they are read whole and never searched, and JSONB refuses NUL.

runs = Table(
    "runs",
    metadata,
    Column("id", Key, primary_key=True),
    Column("spec", Text, nullable=False),
    Column("state", String, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("owner", FreeText),
    Column("code_version", String, nullable=False),
    Column("git_sha", String),
    Column("error", FreeText),
    Column("created_at", Moment, nullable=False),
    Column("started_at", Moment),
    Column("finished_at", Moment),
    Column("environment", Text),
    Index(None, "created_at", "id"),
    Index(None, "state"),
)

evaluations = Table(
    "evaluations",
    metadata,
    Column("id", Key, primary_key=True),
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("model", FreeText, nullable=False),
    Column("benchmark", FreeText, nullable=False),
    Column("benchmark_version", String, nullable=False),
    Column("benchmark_size", Integer, nullable=False),
    Column("fingerprint", String, nullable=False),
    Column("fingerprint_fields", Text, nullable=False),
    # Item ids are a blob: the models of a run share one list, which can hold over ten thousand ids.
    Column("items_sha256", LargeBinary, nullable=False),
    Column("generation", Text, nullable=False),
    Column("samples", Integer, nullable=False),
    Column("price", Text),
    Column("state", String, nullable=False),
    Column("error", FreeText),
    Column("summary", Text),
    Column("score", Double),
    Column("scored", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("started_at", Moment),
    Column("finished_at", Moment),
    Column("endpoint", FreeText),
    Column("facts_sha256", LargeBinary),
    Index(None, "run_id", "position"),
    Index(None, "fingerprint"),
    Index(None, "model"),
    Index(None, "benchmark"),
)


def _usage_columns() -> tuple[Column[int] | Column[object], ...]:
    return (
        Column("input_tokens", BigInteger),
        Column("output_tokens", BigInteger),
        Column("reasoning_tokens", BigInteger),
        Column("cached_tokens", BigInteger),
        Column("reported_cost_usd", Amount),
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
    )


# Texts lie in `blobs` by their hash, without a foreign key: both are written in one transaction, and to check
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
    Column("answer_sha256", LargeBinary),
    Column("prompt_sha256", LargeBinary),
    Column("reasoning_sha256", LargeBinary),
    Column("test_code_sha256", LargeBinary),
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

blobs = Table(
    "blobs",
    metadata,
    Column("sha256", LargeBinary, primary_key=True),
    Column("content", LargeBinary, nullable=False),
    Column("is_compressed", Boolean, nullable=False),
    Column("size", Integer, nullable=False),
)

events = Table(
    "events",
    metadata,
    Column("id", BigInteger().with_variant(Integer, "sqlite"), primary_key=True),
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("type", String, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("message", FreeText, nullable=False),
    Column("benchmark", FreeText),
    Column("model", FreeText),
    Column("data", Text),
    Index(None, "run_id", "id"),
    # Without it SQLite gives the id of a deleted last row to the next one.
    sqlite_autoincrement=True,
)

shards = Table(
    "shards",
    metadata,
    Column("id", Key, primary_key=True),
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("evaluation_id", Key, ForeignKey("evaluations.id", ondelete="CASCADE"), nullable=False),
    Column("start", Integer, nullable=False),
    Column("stop", Integer, nullable=False),
    Column("state", String, nullable=False),
    Column("epoch", Integer, nullable=False),
    Column("retries_missing", Boolean, nullable=False),
    Index(None, "evaluation_id", "state"),
    Index(None, "run_id"),
)

workers = Table(
    "workers",
    metadata,
    Column("id", Key, primary_key=True),
    Column("host", FreeText, nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("last_seen", Moment, nullable=False),
    Column("slots", Integer, nullable=False),
    Column("running", Text, nullable=False),
    Column("endpoints", Text, nullable=False),
    Column("version", String, nullable=False),
    Column("is_draining", Boolean, nullable=False),
    Column("only_models", Text, nullable=False, server_default="[]"),
    Column("only_owners", Text, nullable=False, server_default="[]"),
)

# When the endpoint has served all that was granted, in seconds since 1970 by the clock of the database.
endpoint_quotas = Table(
    "endpoint_quotas",
    metadata,
    Column("endpoint", Key, primary_key=True),
    Column("unit", String, primary_key=True),
    Column("free_at", Double, nullable=False),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    # Empty for nobody: NULL would equal no other NULL, and the key would not be unique.
    Column("owner", Key, primary_key=True),
    Column("key", Key, primary_key=True),
    Column("request_hash", String),
    # Checked at the end of the transaction: the key is taken before the run is written.
    Column(
        "run_id",
        Key,
        ForeignKey("runs.id", ondelete="CASCADE", deferrable=True, initially="DEFERRED"),
        nullable=False,
    ),
    Index(None, "run_id"),
)

secrets = Table(
    "secrets",
    metadata,
    Column("id", Key, primary_key=True),
    Column("run_id", Key, ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
    Column("sealed", LargeBinary, nullable=False),
    Column("created_at", Moment, nullable=False),
    Index(None, "run_id"),
)

datasets = Table(
    "datasets",
    metadata,
    Column("id", Key, primary_key=True),
    Column("name", Key, nullable=False),
    Column("version", Integer, nullable=False),
    Column("file_name", FreeText, nullable=False),
    Column("sha256", String, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("lines", Integer, nullable=False),
    Column("grading", String, nullable=False),
    Column("graders", Text, nullable=False),
    Column("models", Text, nullable=False),
    Column("owner", FreeText),
    Column("created_at", Moment, nullable=False),
    # Kept after its removal, so that no other content ever gets its version.
    Column("removed_at", Moment),
    Column("warnings", Text, nullable=False, server_default="[]"),
    Column("warning_count", Integer, nullable=False, server_default="0"),
    Index(None, "name", "version", unique=True),
    Index(None, "sha256"),
)
