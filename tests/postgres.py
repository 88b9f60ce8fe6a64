"""A real Postgres server for the tests: started on first use, thrown away at the end."""

import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
from psycopg import sql

USER = "assay"
_START_TIMEOUT_S = 60
# Throw-away data: nothing has to survive a power cut. What is committed must survive a crash of the server.
_OPTIONS = (
    "fsync=off",
    "full_page_writes=off",
    "max_connections=200",
    "autovacuum=off",
    "timezone=Pacific/Auckland",
)

# English order, in which "a" precedes "B": shows who relies on the order of code points without saying so.
_INITDB_OPTIONS = (
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C.UTF-8",
    "--locale-provider=icu",
    "--icu-locale=en-US",
    "--no-sync",
)


@dataclass(slots=True)
class Cluster:
    """A running server; `url` of each database carries the password."""

    port: int
    password: str
    folder: Path
    restart: Callable[[str], None] = field(default=lambda _mode: None)
    """Stop the server in pg_ctl's mode `fast` or `immediate`, and start it again."""
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def url(self, database: str) -> str:
        return f"postgresql://{USER}:{self.password}@127.0.0.1:{self.port}/{database}"

    def new_database(self, *, template: str = "template0", tablespace: str = "pg_default") -> str:
        """The URL of a database nobody has used, as empty or as full as its template."""
        name = f"test_{next(self._numbers)}"
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} TABLESPACE {}").format(
            sql.Identifier(name), sql.Identifier(template), sql.Identifier(tablespace)
        )
        self.execute(statement)
        return self.url(name)

    def execute(self, statement: LiteralString | sql.Composed) -> None:
        """Run it as the superuser, in a database no test uses."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)


def programs() -> Path | None:
    """The folder with initdb and pg_ctl; Debian keeps them off the PATH."""
    on_path = shutil.which("pg_ctl")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next(
        (folder for folder in folders if (folder / "initdb").exists() and (folder / "pg_ctl").exists()), None
    )


@contextmanager
def running_cluster(binaries: Path, *more_options: str) -> Generator[Cluster]:
    with tempfile.TemporaryDirectory(prefix="assay-postgres-") as name:
        folder = Path(name)
        cluster = Cluster(_free_port(), secrets.token_hex(8), folder)
        secret = folder / "password"
        secret.write_text(cluster.password)
        _hand_over(folder)
        data = str(folder / "data")
        _run(
            [str(binaries / "initdb"), "-D", data, "-U", USER, f"--pwfile={secret}", *_INITDB_OPTIONS],
        )
        options = " ".join(f"-c {option}" for option in (*_OPTIONS, *more_options))
        options += (
            f" -c listen_addresses=127.0.0.1 -c port={cluster.port} -c unix_socket_directories={folder}"
        )
        control = [str(binaries / "pg_ctl"), "-D", data, "-w", "-t", str(_START_TIMEOUT_S)]
        start = [*control, "-l", str(folder / "log"), "-o", options, "start"]

        def restart(mode: str) -> None:
            _run([*control, "-m", mode, "stop"])
            _run(start)

        cluster.restart = restart
        _run(start)
        try:
            yield cluster
        finally:
            _run([*control, "-m", "immediate", "stop"])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _hand_over(folder: Path) -> None:
    """Postgres refuses to run as root: give the folder to the user it will run as."""
    user = server_user()
    if user is None:
        return
    for path in (folder, *folder.iterdir()):
        shutil.chown(path, user=user)


def server_user() -> str | None:
    """Whom the server runs as, where that is not us."""
    if os.geteuid() != 0:
        return None
    known = Path("/etc/passwd").read_text().splitlines()
    return "postgres" if any(line.startswith("postgres:") for line in known) else "nobody"


def _run(command: Sequence[str]) -> None:
    # The server outlives pg_ctl and would keep a pipe open, so its output goes to a file.
    with tempfile.TemporaryFile() as output:
        done = subprocess.run(
            command,
            user=server_user(),
            stdout=output,
            stderr=output,
            cwd="/",
            env=_environment(),
            check=False,
        )
        if done.returncode:
            output.seek(0)
            pytest.fail(
                f"{command[0]} ended with {done.returncode}: {output.read().decode(errors='replace')}"
            )


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PG")}
