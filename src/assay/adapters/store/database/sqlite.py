"""Connections to a SQLite file, set up the same way in every process."""

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection

from assay.adapters.store.database.pragmas import BUSY_TIMEOUT_S, ISOLATION_LEVEL, configure
from assay.adapters.store.database.url import Location
from assay.domain.errors import StoreError


def sqlite_engine(location: Location, *, connections: int, begin: str) -> Engine:
    _make_folder(location)
    engine = create_engine(
        location.url,
        hide_parameters=True,
        pool_size=connections,
        max_overflow=0,
        connect_args={"timeout": BUSY_TIMEOUT_S, "isolation_level": ISOLATION_LEVEL},
    )

    def set_up(connection: DBAPIConnection, _record: object) -> None:
        configure(connection)

    def open_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine, "connect", set_up)
    event.listen(engine, "begin", open_transaction)
    return engine


def _make_folder(location: Location) -> None:
    folder = location.path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot create the folder {str(folder)!r} for the database: {error.strerror}; "
            "name another place or make its parent writable"
        ) from error
