"""Workers, and how busy the installation was in each minute."""

from sqlalchemy import Boolean, Column, Integer, String, Table, Text

from assay.adapters.store.database.columns import FreeText, Key, Moment
from assay.adapters.store.database.metadata import metadata

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
    Column("sandbox", String),
)

# How many calls to an endpoint each process that executes a run may have in flight.
connection_shares = Table(
    "connection_shares",
    metadata,
    Column("run_id", Key, primary_key=True),
    Column("worker_id", Key, primary_key=True),
    Column("connections", Integer, nullable=False),
)

fleet_minutes = Table(
    "fleet_minutes",
    metadata,
    Column("minute", Moment, primary_key=True),
    Column("worker_count", Integer, nullable=False),
    Column("running_runs", Integer, nullable=False),
    Column("queued_runs", Integer, nullable=False),
)
