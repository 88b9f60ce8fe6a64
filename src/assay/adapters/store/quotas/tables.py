"""When endpoints may be asked again."""

from sqlalchemy import Column, Double, String, Table

from assay.adapters.store.database.columns import Key
from assay.adapters.store.database.metadata import metadata

# When the endpoint has served all that was granted, in seconds since 1970 by the clock of the database.
endpoint_quotas = Table(
    "endpoint_quotas",
    metadata,
    Column("endpoint", Key, primary_key=True),
    Column("unit", String, primary_key=True),
    Column("free_at", Double, nullable=False),
)
