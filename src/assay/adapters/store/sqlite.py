"""Connections to a SQLite file, set up the same way in every process."""

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection

from assay.adapters.store.url import Location
from assay.domain.errors import StoreError

_BUSY_TIMEOUT_S = 30
_SETTINGS = ("synchronous=NORMAL", "foreign_keys=ON", "cache_size=-4000", "temp_store=MEMORY")
# Taking the write lock first avoids the failure of a reader that turns writer too late.
BEGIN_WRITING = "BEGIN IMMEDIATE"


def sqlite_engine(location: Location, *, connections: int, begin: str) -> Engine:
    _make_folder(location)
    engine = create_engine(
        location.url,
        hide_parameters=True,
        pool_size=connections,
        max_overflow=0,
        connect_args={"timeout": _BUSY_TIMEOUT_S},
    )

    def configure(connection: DBAPIConnection, _record: object) -> None:
        # The driver's own handling would begin transactions late, and commit before a change of the schema.
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        for setting in _SETTINGS:
            cursor.execute(f"PRAGMA {setting}")
        cursor.close()

    def open_transaction(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    event.listen(engine, "connect", configure)
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
