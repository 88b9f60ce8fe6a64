"""What a user reads when the database cannot be used."""

import asyncio
import sqlite3
import subprocess
import sys
import traceback
from pathlib import Path

import psycopg
import pytest
from sqlalchemy.engine import make_url

from assay.adapters.store.stores import open_stores
from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.errors import StoreError
from assay.domain.run import EvaluationId
from assay.engine.stores.runs import RunFilter
from tests.builders import Seeded, attempt
from tests.conftest import REPOSITORY
from tests.postgres import Cluster

NOBODY = 65534
_IN_USE = """
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


async def refusal(url: str) -> str:
    with pytest.raises(StoreError) as caught:
        await open_stores(url)
    assert "\n" not in caught.value.message
    password = make_url(url).password
    assert password is None or str(password) not in "".join(traceback.format_exception(caught.value))
    return caught.value.message


async def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "assay.db"
    path.write_text("My diary. " * 1_000)
    message = await refusal(f"sqlite:///{path}")
    assert message == (
        f"SQLite database {str(path)!r} is not a database file; "
        "restore a backup, or move the file away to start anew"
    )
    assert path.read_text().startswith("My diary. ")


async def test_a_damaged_database(tmp_path: Path) -> None:
    path = tmp_path / "assay.db"
    store = await open_stores(f"sqlite:///{path}")
    await store.runs.add(Seeded().run, [Seeded().evaluation()], [])
    await store.attempts.add([attempt(str(number), prompt=f"{number} " * 2_000) for number in range(200)])
    await store.close()
    content = bytearray(path.read_bytes())
    content[4_096:] = b"\xa5" * (len(content) - 4_096)
    path.write_bytes(content)
    assert "is damaged; restore a backup" in await refusal(f"sqlite:///{path}")


async def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    message = await refusal(f"sqlite:///{tmp_path}/file/assay.db")
    assert message.startswith(f"cannot create the folder '{tmp_path}/file' for the database: ")


async def test_a_path_that_is_a_folder(tmp_path: Path) -> None:
    assert "cannot be opened; make the file and its folder readable" in await refusal(f"sqlite:///{tmp_path}")


OPEN_AS_NOBODY = """
import asyncio, os, sys
from assay.adapters.store.stores import open_stores
from assay.domain.errors import StoreError
if os.geteuid() == 0:
    os.setuid(int(sys.argv[2]))
try:
    asyncio.run(open_stores(sys.argv[1]))
except StoreError as error:
    print(error.message)
"""


@pytest.mark.parametrize("has_database", [False, True])
def test_a_folder_that_cannot_be_written(tmp_path: Path, has_database: bool) -> None:  # noqa: FBT001 - pytest
    path = tmp_path / "assay.db"
    if has_database:
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version=1")
        connection.close()
        path.chmod(0o444)
    # Whoever is not root can reach the folder, and cannot write to it.
    folders = [tmp_path, *(one for one in tmp_path.parents if "pytest-of-" in str(one))]
    for folder in folders:
        folder.chmod(0o555)
    command = [sys.executable, "-c", OPEN_AS_NOBODY, f"sqlite:///{path}", str(NOBODY)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False)
    for folder in folders:
        folder.chmod(0o755)
    assert done.stderr == ""
    assert done.stdout.startswith(f"SQLite database {str(path)!r} cannot be ")
    assert "make the file and its folder" in done.stdout


@pytest.mark.postgres
async def test_a_postgres_that_cannot_be_used(postgres: Cluster) -> None:
    url = postgres.new_database()
    place = f"127.0.0.1:{postgres.port} as 'assay'"
    message = await refusal(url.replace(postgres.password, "wrong-word"))
    assert message.startswith("Postgres database 'test_")
    assert "password authentication failed" in message
    assert message.endswith("; check the URL, the password and that the server runs")
    message = await refusal(f"{url}_not")
    assert f"_not' at {place} cannot be reached" in message
    assert "does not exist" in message
    message = await refusal(url.replace(str(postgres.port), "1"))
    assert "at 127.0.0.1:1 as 'assay' cannot be reached: connection failed" in message
    assert "cannot be reached: failed to resolve host" in await refusal(
        url.replace("127.0.0.1", "nowhere.invalid")
    )


@pytest.mark.postgres
async def test_a_user_without_rights(postgres: Cluster) -> None:
    url = postgres.new_database()
    postgres.execute("CREATE ROLE reader LOGIN PASSWORD 'reading-only'")
    message = await refusal(url.replace(f"assay:{postgres.password}", "reader:reading-only"))
    assert "refused a statement; give the user the right to create and change tables" in message


@pytest.mark.postgres
async def test_lost_connections_are_replaced(postgres: Cluster, postgres_url: str) -> None:
    store = await open_stores(postgres_url)
    await store.runs.add(Seeded().run, [], [])
    postgres.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test_%'")
    assert (await store.runs.page(RunFilter())).total == 1
    await store.close()


async def test_a_stored_text_that_is_gone(tmp_path: Path) -> None:
    path = tmp_path / "assay.db"
    store = await open_stores(f"sqlite:///{path}")
    await store.runs.add(Seeded().run, [Seeded().evaluation()], [])
    await store.attempts.add([attempt(prompt="lost")])
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM blobs WHERE size = 4")
    connection.close()
    with pytest.raises(StoreError, match="1 stored texts are missing"):
        await store.attempts.get(EvaluationId("evaluation-1"), AttemptKey(ItemId("0"), 0))
    await store.close()


async def test_closing_leaves_one_file(tmp_path: Path) -> None:
    store = await open_stores(f"sqlite:///{tmp_path}/a.db")
    await store.runs.add(Seeded().run, [], [])
    await store.close()
    assert await asyncio.to_thread(lambda: [path.name for path in tmp_path.iterdir()]) == ["a.db"]


@pytest.mark.postgres
async def test_a_process_has_few_connections_however_much_it_asks(postgres_url: str) -> None:
    store = await open_stores(postgres_url)
    with psycopg.connect(postgres_url) as other, psycopg.connect(postgres_url, autocommit=True) as watch:
        # All that read it wait for the table, so that as many connections are in use as there may be.
        other.execute("LOCK TABLE runs IN ACCESS EXCLUSIVE MODE")
        asked = [asyncio.create_task(store.runs.page(RunFilter())) for _ in range(30)]
        async with asyncio.timeout(60):
            while watch.execute(_IN_USE).fetchone() != (10,):
                await asyncio.sleep(0.02)
        await asyncio.sleep(0.2)
        assert watch.execute(_IN_USE).fetchone() == (10,)
        other.rollback()
        pages = await asyncio.gather(*asked)
    assert [page.total for page in pages] == [0] * 30
    await store.close()
