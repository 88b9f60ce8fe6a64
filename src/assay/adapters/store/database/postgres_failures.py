"""What went wrong in a Postgres database."""

import psycopg

from assay.adapters.store.database.url import Location
from assay.domain.errors import StoreAwayError, StoreError, StoreFullError

# By the start of the SQLSTATE.
_REMEDIES = {
    "23": "refused a row: the run or evaluation it belongs to is not stored; add that first",
    "28": "refused the login; check the user and the password",
    "3D": "does not exist; create it first",
    "42501": "refused a statement; give the user the right to create and change tables in it",
    "53100": "has no room left: the server's disk is full; free space, then resume",
    "53": "has no room left; free disk space or connections on the server",
    "57": "was stopped or is starting; try again when the server is up",
}


def postgres_error(error: BaseException | None, where: Location, *, reason: str) -> StoreError | None:
    """None where the error is not one of the driver."""
    if not isinstance(error, psycopg.Error):
        return None
    return _kind(error)(f"{where} {_remedy(error, reason)}")


def _kind(error: psycopg.Error) -> type[StoreError]:
    if isinstance(error, psycopg.errors.DiskFull):
        return StoreFullError
    return StoreAwayError if _is_away(error) else StoreError


def _is_away(error: psycopg.Error) -> bool:
    """No state means that no server answered; 08 is a broken connection, 57P a server that is stopping.

    A transaction that was idle for too long is that of a process that was frozen.
    """
    if isinstance(error, psycopg.errors.IdleInTransactionSessionTimeout):
        return True
    state = error.sqlstate
    return isinstance(error, psycopg.OperationalError) and (state is None or state.startswith(("08", "57P")))


def _remedy(error: psycopg.Error, reason: str) -> str:
    state = error.sqlstate
    if state is None and isinstance(error, psycopg.OperationalError):
        return f"cannot be reached: {reason}; check the URL, the password and that the server runs"
    remedies = (text for start, text in _REMEDIES.items() if state and state.startswith(start))
    return f"{next(remedies, 'failed')}: {reason}"
