"""Database URLs in the forms that users have, turned into the form that the driver takes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from sqlalchemy import URL

from assay.domain.errors import InvalidValueError

_SQLITE_SCHEMES = frozenset({"sqlite", "sqlite+pysqlite", "sqlite+aiosqlite"})
_POSTGRES_SCHEMES = frozenset(
    {"postgres", "postgresql", "postgresql+psycopg", "postgresql+psycopg2", "postgresql+asyncpg"}
)
_EXPECTED = "expected sqlite:////path/to/file.db or postgresql://user:password@host/database"
_UNREADABLE = f"the database URL cannot be read; write special characters of the password as %XX; {_EXPECTED}"
# asyncpg spells sslmode differently from every other client.
_ASYNCPG_SSL = {"true": "require", "false": "disable"}
# A host that drops packets would otherwise hold up the start for two minutes, and a connection whose server
# is gone would be waited on for two hours: it ends after a minute without a sign of the server.
# Texts come as bytes from a database without an encoding, which one made without a locale is.
_DEFAULTS = {
    "client_encoding": "utf8",
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
    "tcp_user_timeout": "60000",
}


@dataclass(frozen=True, slots=True)
class Location:
    """Where a database is; shown without the password."""

    kind: Literal["sqlite", "postgresql"]
    url: URL = field(repr=False)
    name: str
    # PgBouncer may hand each transaction to another server connection, where a prepared statement is unknown.
    is_pooled: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def path(self) -> Path:
        """The file of a SQLite database."""
        if self.kind != "sqlite" or self.url.database is None:
            raise InvalidValueError(f"{self.name} is not a file")
        return Path(self.url.database)


def located(url: str) -> Location:
    """Read a database URL; errors do not repeat it, as it may contain a password."""
    scheme, separator, rest = url.strip().partition("://")
    if not separator:
        raise InvalidValueError(f"the database URL has no scheme; {_EXPECTED}")
    if scheme in _SQLITE_SCHEMES:
        return _sqlite(rest)
    if scheme in _POSTGRES_SCHEMES:
        return _postgres(rest)
    raise InvalidValueError(f"databases of the kind {scheme!r} are not supported; {_EXPECTED}")


def _sqlite(rest: str) -> Location:
    path = rest.removeprefix("/")
    if not rest.startswith("/") or not path or path.startswith(":") or "?" in path:
        raise InvalidValueError(f"a SQLite URL names one file and takes no parameters; {_EXPECTED}")
    return Location("sqlite", URL.create("sqlite+pysqlite", database=path), f"SQLite database {path!r}")


def _postgres(rest: str) -> Location:
    try:
        parts = urlsplit(f"postgresql://{rest}")
        port = parts.port
    except ValueError:
        # The cause quotes the part it could not read, which can be a piece of the password.
        raise InvalidValueError(_UNREADABLE) from None
    if parts.fragment or ("@" in rest and "@" not in parts.netloc):
        raise InvalidValueError(_UNREADABLE)
    parameters = dict(parse_qsl(parts.query, keep_blank_values=True))
    is_pooled = parameters.pop("pgbouncer", "false") == "true"
    query = _libpq_parameters(parameters)
    password = query.pop("password", None)
    url = URL.create(
        "postgresql+psycopg",
        username=unquote(parts.username) if parts.username else query.pop("user", None),
        password=unquote(parts.password) if parts.password else password,
        host=parts.hostname,
        port=port,
        database=unquote(parts.path.removeprefix("/")) or query.pop("dbname", None),
        query=query,
    )
    return Location("postgresql", url, _postgres_name(url), is_pooled)


def _libpq_parameters(given: Mapping[str, str]) -> dict[str, str]:
    from psycopg import pq  # noqa: PLC0415 # SQLite does without

    known = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
    parameters = _DEFAULTS | dict(given)
    if "ssl" in parameters:
        mode = parameters.pop("ssl")
        parameters.setdefault("sslmode", _ASYNCPG_SSL.get(mode, mode))
    if unknown := sorted(parameters.keys() - known):
        raise InvalidValueError(
            f"Postgres has no connection parameter {unknown[0]!r}; remove it from the database URL"
        )
    return parameters


def _postgres_name(url: URL) -> str:
    host = url.host or url.normalized_query.get("host", ("the local socket",))[0]
    port = f":{url.port}" if url.port else ""
    user = f" as {url.username!r}" if url.username else ""
    return f"Postgres database {url.database or ''!r} at {host}{port}{user}"
