"""Load tests and their results."""

from sqlalchemy import Column, Index, Table

from assay.adapters.store.database.columns import FreeText, Key, Moment
from assay.adapters.store.database.metadata import metadata

load_tests = Table(
    "load_tests",
    metadata,
    Column("id", Key, primary_key=True),
    Column("created_at", Moment, nullable=False),
    # The whole test as JSON: it is written once and read as a whole.
    Column("document", FreeText, nullable=False),
    Index(None, "created_at"),
)
