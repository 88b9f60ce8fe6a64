"""Settings of every connection to a SQLite file, in every process."""

from collections.abc import Callable
from typing import Protocol

from assay.adapters.store.database.blob_search import BLOB_HOLDS, blob_holds

BUSY_TIMEOUT_S = 30
# The driver's own handling would begin transactions late, and commit before a change of the schema.
ISOLATION_LEVEL = None
# A transaction that reads first and writes later fails where another has written meanwhile.
BEGIN_WRITING = "BEGIN IMMEDIATE"
_SETTINGS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "foreign_keys=ON",
    "cache_size=-4000",
    "temp_store=MEMORY",
)


class _Cursor(Protocol):
    def execute(self, sql: str, /) -> object: ...

    def close(self) -> None: ...


class _Connection(Protocol):
    def cursor(self) -> _Cursor: ...

    def create_function(
        self, name: str, narg: int, func: Callable[..., bool], /, *, deterministic: bool
    ) -> None: ...


def configure(connection: _Connection) -> None:
    cursor = connection.cursor()
    for setting in _SETTINGS:
        cursor.execute(f"PRAGMA {setting}")
    cursor.close()
    connection.create_function(BLOB_HOLDS, 4, blob_holds(), deterministic=True)
