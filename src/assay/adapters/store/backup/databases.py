"""One file with all that is in a database, and back."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from psycopg import Connection
from psycopg import Error as PostgresError
from psycopg.conninfo import make_conninfo

from assay.adapters.store.database.url import Location
from assay.domain.errors import ConflictError, StoreError

_TABLES = "SELECT count(*) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"


def dump(location: Location, file: Path) -> None:
    """As it is at one moment, while others go on writing."""
    if location.kind == "postgresql":
        _run("pg_dump", location, "--format=custom", "--no-owner", "--no-acl", f"--file={file}")
        return
    try:
        with (
            closing(_sqlite(location)) as source,
            closing(sqlite3.connect(file)) as target,
        ):
            source.backup(target)
    except sqlite3.Error as error:
        raise StoreError(f"{location} cannot be copied: {error}") from error


def revision(location: Location) -> str:
    """The schema that the database has, which may be older than that of this code."""
    statement = "SELECT version_num FROM alembic_version"
    try:
        if location.kind == "postgresql":
            with Connection.connect(_conninfo(location), password=location.url.password) as connection:
                row = connection.execute(statement).fetchone()
        else:
            with closing(_sqlite(location)) as connection:
                row = connection.execute(statement).fetchone()
    except (sqlite3.Error, PostgresError) as error:
        raise StoreError(f"{location} holds nothing of Assay's: {error}") from error
    return str(row[0]) if row else ""


def load(location: Location, file: Path) -> None:
    """All of it or nothing; the database must be empty."""
    if location.kind == "postgresql":
        _run("pg_restore", location, "--no-owner", "--exit-on-error", "--single-transaction", str(file))
        return
    location.path.parent.mkdir(parents=True, exist_ok=True)
    partly = location.path.with_name(f"{location.path.name}.partly")
    shutil.copyfile(file, partly)
    partly.chmod(0o600)
    partly.rename(location.path)


def require_empty(location: Location) -> None:
    if location.kind == "sqlite":
        is_empty = not location.path.exists() or _has_no_table(location)
    else:
        try:
            with Connection.connect(_conninfo(location), password=location.url.password) as connection:
                is_empty = connection.execute(_TABLES).fetchone() == (0,)
        except PostgresError as error:
            raise StoreError(f"{location} cannot be opened: {error}") from error
    if not is_empty:
        raise ConflictError(f"{location} is not empty: a back-up is restored into a new one")


def _has_no_table(location: Location) -> bool:
    try:
        with closing(_sqlite(location)) as connection:
            return connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    except sqlite3.Error:
        return False


def _sqlite(location: Location) -> sqlite3.Connection:
    return sqlite3.connect(f"{location.path.absolute().as_uri()}?mode=ro", uri=True)


def _run(program: str, location: Location, *arguments: str) -> None:
    """The password is handed over in the environment: arguments are seen by every user of the machine."""
    if shutil.which(program) is None:
        raise StoreError(
            f"{program} is not installed: install the client programs of PostgreSQL, of the server's version"
        )
    password = {"PGPASSWORD": str(location.url.password)} if location.url.password else {}
    command = [program, f"--dbname={_conninfo(location)}", *arguments]
    done = subprocess.run(command, env=os.environ | password, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise StoreError(f"{program} failed on {location}: {done.stderr.strip()[-1000:]}")


def _conninfo(location: Location) -> str:
    url = location.url
    options = {name: values[0] for name, values in url.normalized_query.items()}
    port = {"port": url.port} if url.port else {}
    return make_conninfo(
        "", host=url.host or "", dbname=url.database or "", user=url.username or "", **port, **options
    )
