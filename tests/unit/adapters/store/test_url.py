from pathlib import Path

import pytest

from assay.adapters.store.database.url import located
from assay.domain.errors import InvalidValueError

HIDDEN = "zebra7"


@pytest.mark.parametrize(
    "url",
    [
        f"postgres://ann:{HIDDEN}@db.example.com/assay?sslmode=require&channel_binding=require",
        f"postgresql://ann:{HIDDEN}@db.example.com/assay?sslmode=require&channel_binding=require",
        f"postgresql+psycopg://ann:{HIDDEN}@db.example.com/assay?sslmode=require&channel_binding=require",
        f"postgresql+asyncpg://ann:{HIDDEN}@db.example.com/assay?ssl=require&channel_binding=require",
        f" postgres://ann:{HIDDEN}@db.example.com/assay?ssl=true&channel_binding=require\n",
        f"postgres://db.example.com?user=ann&password={HIDDEN}&dbname=assay&ssl=true&channel_binding=require",
    ],
)
def test_every_way_to_name_a_postgres_database(url: str) -> None:
    location = located(url)
    assert location.kind == "postgresql"
    assert location.url.drivername == "postgresql+psycopg"
    assert (location.url.host, location.url.port, location.url.database) == ("db.example.com", None, "assay")
    assert (location.url.username, location.url.password) == ("ann", HIDDEN)
    assert dict(location.url.query) == {
        "sslmode": "require",
        "channel_binding": "require",
        "client_encoding": "utf8",
        "connect_timeout": "10",
        "keepalives_idle": "30",
        "keepalives_interval": "10",
        "keepalives_count": "3",
        "tcp_user_timeout": "60000",
    }
    assert not location.is_pooled


def test_a_location_is_shown_without_its_password() -> None:
    location = located(f"postgres://ann:{HIDDEN}@db.example.com:5433/assay?sslpassword={HIDDEN}")
    assert str(location) == "Postgres database 'assay' at db.example.com:5433 as 'ann'"
    assert HIDDEN not in repr(location)


@pytest.mark.parametrize(
    ("written", "meant"), [("a%2Fb%3F%23%25", "a/b?#%"), ("p@ss:word", "p@ss:word"), ("%C3%A9", "é")]
)
def test_special_characters_of_a_password(written: str, meant: str) -> None:
    url = located(f"postgres://u:{written}@h/d").url
    assert (url.username, url.password, url.host, url.database) == ("u", meant, "h", "d")


@pytest.mark.parametrize("password", ["a/b", "a?b", "a#b", "12/3", "12?3", "[b"])
def test_a_password_that_breaks_the_url_is_not_repeated(password: str) -> None:
    with pytest.raises(InvalidValueError, match="as %XX") as caught:
        located(f"postgres://user:{password}@host/database")
    assert password[:2] not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_a_server_on_a_local_socket() -> None:
    location = located("postgresql:///assay?host=/run/postgresql")
    assert str(location) == "Postgres database 'assay' at /run/postgresql"


def test_a_pooled_server_gets_no_prepared_statements() -> None:
    location = located("postgres://u@h/d?pgbouncer=true")
    assert location.is_pooled
    assert "pgbouncer" not in location.url.query


def test_the_time_to_connect_can_be_chosen() -> None:
    assert located("postgres://u@h/d?connect_timeout=3").url.query["connect_timeout"] == "3"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:////var/lib/assay/assay.db", "/var/lib/assay/assay.db"),
        ("sqlite:///assay.db", "assay.db"),
        ("sqlite+aiosqlite:///a%20b.db", "a%20b.db"),
    ],
)
def test_sqlite_files(url: str, path: str) -> None:
    location = located(url)
    assert location.kind == "sqlite"
    assert location.path == Path(path)
    assert str(location) == f"SQLite database {path!r}"


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("", "no scheme"),
        ("/var/lib/assay.db", "no scheme"),
        ("mysql://u:p@h/d", "'mysql'"),
        ("sqlite://", "one file"),
        ("sqlite:///", "one file"),
        ("sqlite:///:memory:", "one file"),
        ("sqlite:////a.db?mode=ro", "one file"),
        ("postgres://u@h:port/d", "cannot be read"),
        ("postgres://u@h/d?sslmod=require", "'sslmod'"),
    ],
)
def test_what_is_wrong_with_a_url(url: str, what: str) -> None:
    with pytest.raises(InvalidValueError, match=what):
        located(url)
