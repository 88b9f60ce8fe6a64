"""Errors of the databases as one sentence that says what to do."""

import sqlite3
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from assay.adapters.store.database.url import Location
from assay.domain.errors import StoreError, StoreFullError

if TYPE_CHECKING:
    import psycopg

_SQLITE_REMEDIES = {
    "SQLITE_CORRUPT": "is damaged; restore a backup, or move the file away to start anew",
    "SQLITE_NOTADB": "is not a database file; restore a backup, or move the file away to start anew",
    "SQLITE_READONLY": "cannot be written; make the file and its folder writable for this user",
    "SQLITE_CANTOPEN": "cannot be opened; make the file and its folder readable and writable for this user",
    "SQLITE_PERM": "cannot be opened; make the file and its folder readable and writable for this user",
    "SQLITE_BUSY": "is held by another process; stop it or try again later",
    "SQLITE_FULL": "cannot grow: the disk is full; free space, then resume",
    "SQLITE_IOERR": "cannot be read or written; check the disk and the folder's permissions",
    "SQLITE_CONSTRAINT": "refused a row: the run or evaluation it belongs to is not stored; add that first",
}


def store_error(
    error: "SQLAlchemyError | sqlite3.Error | psycopg.Error | OSError", where: Location
) -> StoreError:
    """Built from the location and the driver's own words, neither of which holds a password."""
    original = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(original, sqlite3.Error):
        kind = StoreFullError if _sqlite_name(original) == "SQLITE_FULL" else StoreError
        return kind(f"{where} {_sqlite_remedy(original)}")
    # Imported here, as it imports the driver, which SQLite does without.
    from assay.adapters.store.database.postgres_failures import postgres_error  # noqa: PLC0415

    reason = _first_line(original)
    return postgres_error(original, where, reason=reason) or StoreError(f"{where} failed: {reason}")


def full_store(where: Location) -> StoreFullError:
    """The error of a full disk that was noticed before the database failed."""
    return StoreFullError(f"{where} {_SQLITE_REMEDIES['SQLITE_FULL']}")


def is_duplicate(error: IntegrityError) -> bool:
    """Whether a row with this key exists; otherwise a row that it refers to is missing."""
    if isinstance(error.orig, sqlite3.Error):
        return error.orig.sqlite_errorname in {"SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE"}
    from psycopg.errors import UniqueViolation  # noqa: PLC0415 # as above

    return isinstance(error.orig, UniqueViolation)


def _sqlite_remedy(error: sqlite3.Error) -> str:
    return _SQLITE_REMEDIES.get(_sqlite_name(error), f"failed: {_first_line(error)}")


def _sqlite_name(error: sqlite3.Error) -> str:
    """The basic name: SQLITE_READONLY for SQLITE_READONLY_DIRECTORY."""
    name: str = getattr(error, "sqlite_errorname", "")
    return "_".join(name.split("_")[:2])


def _first_line(error: BaseException | None) -> str:
    return str(error).strip().partition("\n")[0].strip() or type(error).__name__
