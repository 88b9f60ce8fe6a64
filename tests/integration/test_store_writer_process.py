"""Large batches go through a process of their own; what that process cannot do is done here."""

import os
import signal
import time
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from assay.adapters.store.attempts.encoding import Batch
from assay.adapters.store.attempts.writer_process import WriterProcess
from assay.adapters.store.attempts.writing import batch_of
from assay.adapters.store.database.url import located
from assay.adapters.store.stores import open_stores
from assay.domain.attempt import Attempt
from assay.domain.run import EvaluationId
from assay.engine.stores import Stores
from tests.builders import Seeded, attempt

EVALUATION = EvaluationId("evaluation-1")
START_S = 30.0


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/a.db"


@pytest.fixture
async def store(url: str) -> AsyncGenerator[Stores]:
    store = await open_stores(url)
    await store.runs.add(Seeded().run, [Seeded().evaluation()], [])
    yield store
    await store.close()


@pytest.fixture
def writer(url: str, store: Stores) -> Generator[WriterProcess]:
    """Writes to the database that `store` has created."""
    assert store
    writer = WriterProcess(located(url))
    yield writer
    writer.close()


def attempts(first: int, last: int) -> list[Attempt]:
    return [attempt(f"{number:05}", prompt=f"What is {number}? " * 80) for number in range(first, last)]


def written(writer: WriterProcess, batch: Batch) -> bool:
    """Whether the process takes the batch once it has started."""
    deadline = time.monotonic() + START_S
    while not writer.write(batch):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def child(writer: WriterProcess) -> int:
    assert writer.process is not None
    return writer.process.pid


async def test_a_large_batch_is_written_as_it_was_given(store: Stores, writer: WriterProcess) -> None:
    given = attempts(0, 700)
    assert written(writer, batch_of(given))
    assert await store.attempts.get(EVALUATION, given[42].key) == given[42]
    assert len(await store.attempts.keys(EVALUATION)) == 700


async def test_what_is_stored_already_is_left_to_the_caller(store: Stores, writer: WriterProcess) -> None:
    assert written(writer, batch_of(attempts(0, 100)))
    assert not writer.write(batch_of(attempts(50, 250)))
    assert len(await store.attempts.keys(EVALUATION)) == 100
    await store.attempts.add(attempts(50, 250))
    assert len(await store.attempts.keys(EVALUATION)) == 250


async def test_a_killed_process_loses_nothing_and_is_replaced(store: Stores, writer: WriterProcess) -> None:
    assert written(writer, batch_of(attempts(0, 100)))
    first = child(writer)
    os.kill(first, signal.SIGKILL)
    assert not writer.write(batch_of(attempts(100, 200)))
    assert written(writer, batch_of(attempts(100, 200)))
    assert child(writer) != first
    assert len(await store.attempts.keys(EVALUATION)) == 200


async def test_small_batches_need_no_process(store: Stores, writer: WriterProcess) -> None:
    assert not writer.write(batch_of(attempts(0, 99)))
    assert writer.process is None
    await store.attempts.add(attempts(0, 99))
    assert len(await store.attempts.keys(EVALUATION)) == 99


async def test_the_process_ends_with_its_user(writer: WriterProcess) -> None:
    assert written(writer, batch_of(attempts(0, 100)))
    process = writer.process
    assert process is not None
    writer.close()
    assert process.returncode == 0
