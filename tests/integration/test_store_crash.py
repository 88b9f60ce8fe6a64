"""A writer that dies or is interrupted leaves whole batches or nothing."""

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from assay.adapters.store.stores import open_stores
from assay.domain.run import EvaluationId
from assay.engine.stores.attempts import AttemptFilter
from tests.builders import Seeded, attempt
from tests.conftest import REPOSITORY
from tests.integration.crashing_writer import BATCH

EVALUATION = EvaluationId("evaluation-1")


def killed_writer(url: str, *, first: int, batches: int) -> list[int]:
    """The batches it had stored for sure when it was killed, in the middle of the next one."""
    command = [sys.executable, "-m", "tests.integration.crashing_writer", url, str(first)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(batches)]
        writer.kill()
        return acknowledged + [int(line) for line in writer.stdout if line.endswith("\n")]


async def test_a_killed_writer_loses_nothing_it_acknowledged(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/assay.db"
    store = await open_stores(url)
    await store.runs.add(Seeded().run, [Seeded().evaluation()], [])
    acknowledged: list[int] = []
    for batches in (1, 2, 7, 20):
        first = 1_000 * batches
        acknowledged += await asyncio.to_thread(killed_writer, url, first=first, batches=batches)
        found = Counter(int(key.item_id.partition("/")[0]) for key in await store.attempts.keys(EVALUATION))
        assert set(found.values()) == {BATCH}
        assert found.keys() >= set(acknowledged)
    assert {each.answer for each in await store.attempts.page(EVALUATION, AttemptFilter(limit=10_000))} == {
        "a"
    }
    await store.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "assay.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.parametrize("kind", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def test_a_write_that_is_interrupted(kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    url = f"sqlite:///{tmp_path}/assay.db" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    store = await open_stores(url)
    await store.runs.add(Seeded().run, [Seeded().evaluation()], [])
    for number in range(20):
        writing = asyncio.ensure_future(
            store.attempts.add(
                [attempt(f"{number}/{each}", prompt=f"{each} " * 300) for each in range(BATCH)]
            )
        )
        for _ in range(number):
            await asyncio.sleep(0)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
    await store.attempts.add([attempt("last/0")])
    found = Counter(key.item_id.partition("/")[0] for key in await store.attempts.keys(EVALUATION))
    assert found.pop("last") == 1
    assert set(found.values()) <= {BATCH}
    await store.close()
