"""The part of the SQL store that remembers how busy the installation was."""

from datetime import datetime

from sqlalchemy import Connection, delete, select

from assay.adapters.store.engine import Database
from assay.adapters.store.identity_tables import fleet_minutes
from assay.adapters.store.prepared import prepared_insert
from assay.engine.stores.fleet import FleetMinute


class SqlFleetHistory:
    database: Database

    async def note_minute(self, minute: FleetMinute, *, forget_before: datetime) -> None:
        def work(connection: Connection) -> None:
            insert = prepared_insert(fleet_minutes, connection.dialect.name, on_conflict="replace")
            row = (minute.at, minute.worker_count, minute.running_runs, minute.queued_runs)
            insert.run(connection, insert.converted([row]))
            connection.execute(delete(fleet_minutes).where(fleet_minutes.c.minute < forget_before))

        await self.database.write(work)

    async def minutes_since(self, since: datetime) -> tuple[FleetMinute, ...]:
        wanted = select(fleet_minutes).where(fleet_minutes.c.minute >= since).order_by(fleet_minutes.c.minute)

        def work(connection: Connection) -> tuple[FleetMinute, ...]:
            return tuple(
                FleetMinute(row.minute, row.worker_count, row.running_runs, row.queued_runs)
                for row in connection.execute(wanted)
            )

        return await self.database.read(work)
