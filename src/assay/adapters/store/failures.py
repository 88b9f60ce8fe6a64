"""What went wrong in a database, said in one sentence that tells what to do."""

import sqlite3

import psycopg
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from assay.adapters.store.url import Location
from assay.domain.errors import StoreAwayError, StoreError, StoreFullError

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
# By the start of the SQLSTATE.
_POSTGRES_REMEDIES = {
    "23": "refused a row: the run or evaluation it belongs to is not stored; add that first",
    "28": "refused the login; check the user and the password",
    "3D": "does not exist; create it first",
    "42501": "refused a statement; give the user the right to create and change tables in it",
    "53100": "has no room left: the server's disk is full; free space, then resume",
    "53": "has no room left; free disk space or connections on the server",
    "57": "was stopped or is starting; try again when the server is up",
}


def store_error(
    error: SQLAlchemyError | sqlite3.Error | psycopg.Error | OSError, where: Location
) -> StoreError:
    """Built from the location and the driver's own words, neither of which holds a password."""
    original = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(original, sqlite3.Error):
        kind = StoreFullError if _sqlite_name(original) == "SQLITE_FULL" else StoreError
        return kind(f"{where} {_sqlite_remedy(original)}")
    if isinstance(original, psycopg.Error):
        return _postgres_kind(original)(f"{where} {_postgres_remedy(original)}")
    return StoreError(f"{where} failed: {_first_line(original)}")


def full_store(where: Location) -> StoreFullError:
    """For whoever finds out before the database does."""
    return StoreFullError(f"{where} {_SQLITE_REMEDIES['SQLITE_FULL']}")


def is_duplicate(error: IntegrityError) -> bool:
    """Whether a row with this key exists already, and not that one it refers to is missing."""
    if isinstance(error.orig, psycopg.Error):
        return isinstance(error.orig, psycopg.errors.UniqueViolation)
    return isinstance(error.orig, sqlite3.Error) and error.orig.sqlite_errorname in {
        "SQLITE_CONSTRAINT_PRIMARYKEY",
        "SQLITE_CONSTRAINT_UNIQUE",
    }


def _postgres_kind(error: psycopg.Error) -> type[StoreError]:
    if isinstance(error, psycopg.errors.DiskFull):
        return StoreFullError
    return StoreAwayError if _is_away(error) else StoreError


def _is_away(error: psycopg.Error) -> bool:
    """No state means that no server answered; 08 is a broken connection, 57P a server that is stopping."""
    state = error.sqlstate
    return isinstance(error, psycopg.OperationalError) and (state is None or state.startswith(("08", "57P")))


def _sqlite_remedy(error: sqlite3.Error) -> str:
    return _SQLITE_REMEDIES.get(_sqlite_name(error), f"failed: {_first_line(error)}")


def _sqlite_name(error: sqlite3.Error) -> str:
    """Without what extended names add to the basic one: SQLITE_READONLY_DIRECTORY."""
    name: str = getattr(error, "sqlite_errorname", "")
    return "_".join(name.split("_")[:2])


def _postgres_remedy(error: psycopg.Error) -> str:
    state, reason = error.sqlstate, _first_line(error)
    if state is None and isinstance(error, psycopg.OperationalError):
        return f"cannot be reached: {reason}; check the URL, the password and that the server runs"
    remedies = (text for start, text in _POSTGRES_REMEDIES.items() if state and state.startswith(start))
    return f"{next(remedies, 'failed')}: {reason}"


def _first_line(error: BaseException | None) -> str:
    return str(error).strip().partition("\n")[0].strip() or type(error).__name__
