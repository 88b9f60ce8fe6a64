"""Runs, their shards, and the requests that made them."""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, String, Table, Text, false

from assay.adapters.store.database.columns import FreeText, Key, Moment
from assay.adapters.store.database.metadata import metadata

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
    Column("name", FreeText),
    # A JSON list, sorted.
    Column("tags", Text),
    Column("note", FreeText),
    Column("is_archived", Boolean, nullable=False, server_default=false()),
    Column("offloaded_at", Moment),
    Column("visibility", String, nullable=False, server_default="team"),
    Index(None, "created_at", "id"),
    # Counts the runs of a list without reading them.
    Index(None, "is_archived", "created_at", "id", "visibility"),
    Index(None, "state"),
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

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    # Empty where there is no owner: NULL would equal no other NULL, and the key would not be unique.
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
