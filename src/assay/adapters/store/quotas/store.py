"""What endpoints may be asked: one row for each of their limits."""

import time

from sqlalchemy import Connection, func, select, update

from assay.adapters.store.database.prepared import insert_rows
from assay.adapters.store.database.transactions import DatabaseStore, write
from assay.adapters.store.quotas.tables import endpoint_quotas
from assay.domain.quota import Claim, Grant, granted

_LONG_FREE = 0.0


class SqlQuotaStore(DatabaseStore):
    @write
    def grant(self, connection: Connection, claim: Claim) -> Grant:
        table = endpoint_quotas
        insert_rows(connection, table, [(claim.endpoint, claim.unit, _LONG_FREE)])
        this = (table.c.endpoint == claim.endpoint) & (table.c.unit == claim.unit)
        free_at = connection.execute(select(table.c.free_at).where(this).with_for_update()).scalar_one()
        found, free_at = granted(claim, free_at=free_at, now=_now(connection))
        if found.amount:
            connection.execute(update(table).where(this).values(free_at=free_at))
        return found


def _now(connection: Connection) -> float:
    """The time by one clock for all: the server's, or that of the one machine that can open the file."""
    if connection.dialect.name != "postgresql":
        return time.time()
    return float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())
