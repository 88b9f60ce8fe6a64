"""What endpoints may be asked: one row for each of their limits."""

from sqlalchemy import Connection, select, update

from assay.adapters.store.database.clock import database_now
from assay.adapters.store.database.prepared import insert_rows
from assay.adapters.store.database.transactions import DatabaseStore, write
from assay.adapters.store.quotas.tables import endpoint_quotas
from assay.domain.calls.quota import Claim, Grant, granted

_LONG_FREE = 0.0


class SqlQuotaStore(DatabaseStore):
    @write
    def grant(self, connection: Connection, claim: Claim) -> Grant:
        table = endpoint_quotas
        insert_rows(connection, table, [(claim.endpoint, claim.unit, _LONG_FREE)])
        this = (table.c.endpoint == claim.endpoint) & (table.c.unit == claim.unit)
        free_at = connection.execute(select(table.c.free_at).where(this).with_for_update()).scalar_one()
        found, free_at = granted(claim, free_at=free_at, now=database_now(connection).timestamp())
        if found.amount:
            connection.execute(update(table).where(this).values(free_at=free_at))
        return found
