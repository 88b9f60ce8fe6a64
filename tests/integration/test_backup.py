"""`assay db`: back-ups of an installation in use, and upgrades."""

import signal
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.integration.cli import Assay, sim_server
from tests.integration.fleet import requests, wait_until
from tests.integration.test_up import MODEL, up
from tests.postgres import Cluster

ITEMS, SAMPLES = 42, 2
# The restored service takes over from the worker of the back-up sooner.
OFTEN = ("WORKER_HEARTBEAT_SECONDS", "0.5")


@pytest.fixture(params=["sqlite", "postgres"])
def assay(request: pytest.FixtureRequest, tmp_path: Path) -> Assay:
    if request.param == "sqlite":
        return Assay(tmp_path / "home", (OFTEN,))
    cluster: Cluster = request.getfixturevalue("postgres")
    return Assay(tmp_path / "home", (OFTEN, ("DATABASE_URL", cluster.new_database())))


def elsewhere(assay: Assay, request: pytest.FixtureRequest) -> Assay:
    """An empty installation with the same kind of database."""
    moved = replace(assay, home=assay.home.parent / "elsewhere")
    if assay.database_url is None:
        return moved
    cluster: Cluster = request.getfixturevalue("postgres")
    return replace(moved, variables=(OFTEN, ("DATABASE_URL", cluster.new_database())))


def test_a_run_goes_on_where_the_back_up_was_taken(
    assay: Assay, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    file = tmp_path / "backup.tar.zst"
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"prompt": "Say a.", "expected": "a"}\n')
    assert assay("datasets", "add", str(lines), "--name", "mine").returncode == 0
    keys = assay.json("keys", "list")
    with sim_server(assay, "--behaviour", "ttft_ms=200") as base_url:
        with up(assay) as (process, _address):
            started = (
                "run",
                MODEL,
                "mmlu_pro",
                "--data",
                "demo",
                "--samples",
                str(SAMPLES),
                "--max-connections",
                "8",
            )
            run_id = assay.json(*started, "--base-url", base_url, "--detach")["run_id"]
            wait_until(lambda: requests(base_url) > 30, within_s=60)
            # However slow the machine is: the run must not end before the back-up is taken.
            process.send_signal(signal.SIGSTOP)
            done = assay("db", "backup", str(file))
            assert done.returncode == 0, done.stderr
            process.kill()
        restored = elsewhere(assay, request)
        done = restored("db", "restore", str(file))
        assert done.returncode == 0, done.stderr
        before = restored.json("show", run_id)
        assert before["status"] == "running"
        assert restored.json("keys", "list") == keys
        stored = sum(before["evaluations"][0]["outcomes"].values())
        assert 0 < stored < ITEMS * SAMPLES
        asked = requests(base_url)
        with up(restored):
            wait_until(lambda: restored.json("show", run_id)["status"] == "succeeded", within_s=60)
        assert requests(base_url) - asked == ITEMS * SAMPLES - stored
        assert restored.json("show", run_id)["evaluations"][0]["scored"] == ITEMS * SAMPLES
        ran = restored("run", "sim/oracle", "dataset:mine")
        assert ran.returncode == 0, ran.stderr
    code, message = restored.failure("db", "restore", str(file))
    assert (code, "is not empty" in message) == (2, True)


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    """A back-up of an installation on SQLite with one run."""
    assay, file = Assay(tmp_path / "home"), tmp_path / "backup.tar.zst"
    assert assay("run", "sim/good", "mmlu_pro", "--data", "demo").returncode == 0
    assert assay("db", "backup", str(file)).returncode == 0
    assert file.stat().st_mode & 0o077 == 0
    return file


def flipped(content: bytes) -> bytes:
    return content[:2000] + bytes([content[2000] ^ 1]) + content[2001:]


@pytest.mark.parametrize("damage", ["cut", "changed", "other", "empty"])
def test_a_damaged_back_up_changes_nothing(backup: Path, damage: str) -> None:
    content = backup.read_bytes()
    damaged = {"cut": content[:-1000], "changed": flipped(content), "other": b"no archive", "empty": b""}
    backup.write_bytes(damaged[damage])
    restored = Assay(backup.parent / "elsewhere")
    code, message = restored.failure("db", "restore", str(backup))
    assert (code, "is no whole back-up" in message) == (2, True)
    assert list(restored.home.iterdir()) == []


def test_a_back_up_is_not_written_over_a_file(backup: Path) -> None:
    content = backup.read_bytes()
    code, message = Assay(backup.parent / "home").failure("db", "backup", str(backup))
    assert (code, "exists" in message) == (2, True)
    assert backup.read_bytes() == content


def test_a_back_up_is_restored_into_the_same_kind_of_database(backup: Path, postgres_url: str) -> None:
    restored = Assay(backup.parent / "elsewhere", (("DATABASE_URL", postgres_url),))
    code, message = restored.failure("db", "restore", str(backup))
    assert (code, "is of a sqlite database" in message) == (2, True)


def test_a_rehearsal_changes_nothing(assay: Assay) -> None:
    done = assay("db", "upgrade", "--dry-run")
    assert "nothing was changed" in done.stdout
    assert "nothing was changed" in assay("db", "upgrade", "--dry-run").stdout
    assert assay("db", "upgrade").returncode == 0
    assert "nothing to do" in assay("db", "upgrade", "--dry-run").stdout


def test_a_database_of_a_later_version_is_refused(tmp_path: Path) -> None:
    assay = Assay(tmp_path / "home")
    assert assay("db", "upgrade").returncode == 0
    with closing(sqlite3.connect(assay.home / "assay.db")) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()
    code, message = assay.failure("db", "upgrade", "--dry-run")
    assert (code, "later version" in message) == (4, True)


def test_a_database_without_an_encoding_holds_any_text(tmp_path: Path, postgres: Cluster) -> None:
    postgres.execute(
        "CREATE DATABASE bytes TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C' LOCALE_PROVIDER libc"
    )
    assay = Assay(tmp_path / "home", (("DATABASE_URL", postgres.url("bytes")),))
    done = assay("run", "sim/echo", "mmlu_pro", "--data", "demo", "--count", "3", "--name", "größer")
    assert done.returncode == 0, done.stderr
    assert [one["name"] for one in assay.json("list")["runs"]] == ["größer"]
