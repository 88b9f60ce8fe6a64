"""The one clock that every process of an installation goes by."""

from datetime import UTC, datetime

from sqlalchemy import Connection, func, select


def database_now(connection: Connection) -> datetime:
    """The time of the server, or of the one machine that can open the file: the clocks of workers differ."""
    if connection.dialect.name != "postgresql":
        return datetime.now(UTC)
    return connection.execute(select(func.clock_timestamp())).scalar_one().astimezone(UTC)
