"""The contract of the run store where long texts are in an object store."""

import random
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select

from assay.adapters.objects.copies import LocalCopies
from assay.adapters.objects.location import object_location
from assay.adapters.objects.store import SharedObjects
from assay.adapters.store.attempts.store import SqlAttemptStore
from assay.adapters.store.attempts.writing import batch_of, write_batch
from assay.adapters.store.database.blobs import blobs
from assay.adapters.store.database.database import Database
from assay.adapters.store.database.remote_texts import PlacedTexts, RemoteTexts
from assay.adapters.store.stores import open_stores
from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.errors import ObjectStoreAwayError, ObjectStoreError, StoreError
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId, RunId, State
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter
from tests.builders import NOON, Seeded, attempt
from tests.contracts.conftest import OpenStores

FIRST, SECOND = EvaluationId("evaluation-1"), EvaluationId("evaluation-2")


def long_text(seed: str) -> str:
    """Does not compress to less than two thirds."""
    return f"{seed} " + random.Random(seed).randbytes(40_000).hex()  # noqa: S311 # the same each time


TEXTS = {name: long_text(name) for name in ("prompt", "answer", "reasoning", "test_code")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "objects"


@pytest.fixture
def objects(folder: Path, tmp_path: Path) -> SharedObjects:
    return SharedObjects(object_location(str(folder)), {}, LocalCopies(tmp_path / "copies", most_bytes=1))


@pytest.fixture
async def stores(store_url: str, objects: SharedObjects) -> AsyncGenerator[Stores]:
    opened = await open_stores(store_url, objects)
    for number in (1, 2):
        seeded = Seeded(evaluation_id=f"evaluation-{number}")
        run = replace(seeded.run, id=RunId(f"run-{number}"))
        await opened.runs.add(run, [replace(seeded.evaluation(), run_id=run.id)], [])
    yield opened
    await opened.close()


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def database_of(stores: Stores) -> Database:
    assert isinstance(stores.attempts, SqlAttemptStore)
    return stores.attempts.database


async def stored_bytes(stores: Stores) -> int:
    """What the long texts take in the table of texts."""
    statement = select(blobs.c.content).where(blobs.c.size > 10_000)
    rows = await database_of(stores).read(lambda connection: connection.scalars(statement).all())
    return sum(map(len, rows))


async def test_long_texts_are_read_back_and_found(stores: Stores, folder: Path, store_url: str) -> None:
    given = attempt("0", **TEXTS)
    await stores.attempts.add([given, attempt("1", prompt="short", answer="A")])
    assert await stores.attempts.get(FIRST, given.key) == given
    assert given in [one async for one in stores.attempts.whole(FIRST)]
    assert dict([one async for one in stores.attempts.answers(FIRST)])[given.key] == TEXTS["answer"]
    first, other = await stores.attempts.page(FIRST, AttemptFilter())
    assert (first.prompt, other.prompt) == (TEXTS["prompt"], "short")
    for name in ("prompt", "answer"):
        part = TEXTS[name][30_000:30_040]
        found = await stores.attempts.found(FIRST, AttemptFilter(search=part))
        assert [one.item_id for one in found.attempts] == ["0"], name
    # SQLite looks into texts that it searches; PostgreSQL has an index that holds them.
    assert len(files(folder)) == (4 if store_url.startswith("postgres") else 2)
    assert (await stored_bytes(stores) == 0) == store_url.startswith("postgres")


async def test_a_text_of_several_attempts_is_one_object(stores: Stores, folder: Path) -> None:
    for evaluation in (FIRST, SECOND):
        for item in ("0", "1"):
            await stores.attempts.add([attempt(item, evaluation_id=evaluation, reasoning=TEXTS["reasoning"])])
    assert len(files(folder)) == 1


async def test_what_the_database_holds_already_stays_there(
    stores: Stores, reopen: OpenStores, folder: Path
) -> None:
    before = await reopen()
    await before.attempts.add([attempt("0", reasoning=TEXTS["reasoning"])])
    await stores.attempts.add([attempt("1", reasoning=TEXTS["reasoning"])])
    assert files(folder) == []
    assert (await stores.attempts.get(FIRST, key("1"))).reasoning == TEXTS["reasoning"]


async def test_a_retried_attempt_gets_its_long_texts(stores: Stores) -> None:
    missing = attempt("0", outcome=Outcome.TIMEOUT, score=None, error_code="timeout")
    await stores.attempts.add([missing])
    given = attempt("0", **TEXTS)
    await stores.attempts.add([given])
    await stores.attempts.add([given])
    found = await stores.attempts.get(FIRST, given.key)
    assert {name: getattr(found, name) for name in TEXTS} == TEXTS


async def test_nothing_is_stored_of_an_attempt_whose_texts_cannot_be(stores: Stores, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    nowhere = object_location(str(tmp_path / "file" / "objects"))
    remote = RemoteTexts(SharedObjects(nowhere, {}, LocalCopies(tmp_path, most_bytes=1)))
    given = attempt("0", **TEXTS)
    with pytest.raises(ObjectStoreError, match="cannot be used"):
        await write_batch(database_of(stores), batch_of([given]), [given], remote)
    assert await stores.attempts.count(FIRST, AttemptFilter()) == 0


class AwayForAWhile(SharedObjects):
    """Cannot be reached for the first requests."""

    failures = 2

    def put(self, name: str, content: bytes | Path) -> None:
        if self.failures:
            self.failures -= 1
            raise ObjectStoreAwayError("the object store fails")
        super().put(name, content)


async def test_answers_wait_for_an_object_store_that_is_away(
    stores: Stores, store_url: str, folder: Path, tmp_path: Path
) -> None:
    away = AwayForAWhile(object_location(str(folder)), {}, LocalCopies(tmp_path / "copies", most_bytes=1))
    waiting = await open_stores(store_url, away)
    given = attempt("0", **TEXTS)
    await waiting.attempts.add([given])
    await waiting.close()
    assert away.failures == 0
    assert await stores.attempts.get(FIRST, given.key) == given


async def test_texts_of_removed_runs_leave_the_object_store(stores: Stores, folder: Path) -> None:
    await stores.attempts.add([attempt("0", reasoning=TEXTS["reasoning"], test_code=TEXTS["test_code"])])
    await stores.attempts.add([attempt("0", evaluation_id=SECOND, reasoning=TEXTS["reasoning"])])
    assert len(files(folder)) == 2
    await remove(stores, "run-1")
    assert len(files(folder)) == 1
    assert (await stores.attempts.get(SECOND, key())).reasoning == TEXTS["reasoning"]
    await remove(stores, "run-2")
    assert files(folder) == []


class RemovedMeanwhile(RemoteTexts):
    """The only run that refers to a text is removed after it was found to be stored."""

    def __init__(self, objects: SharedObjects, stores: Stores) -> None:
        super().__init__(objects)
        self._stores = stores

    async def place(self, database: Database, texts: Mapping[bytes, bytes]) -> PlacedTexts:
        placed = await super().place(database, texts)
        if placed.known:
            await remove(self._stores, "run-1")
        return placed


async def test_a_text_that_is_removed_while_it_is_referred_to_is_written_again(
    stores: Stores, objects: SharedObjects, folder: Path
) -> None:
    await stores.attempts.add([attempt("0", reasoning=TEXTS["reasoning"])])
    given = attempt("0", evaluation_id=SECOND, reasoning=TEXTS["reasoning"])
    remote = RemovedMeanwhile(objects, stores)
    await write_batch(database_of(stores), batch_of([given]), [given], remote)
    assert (await stores.attempts.get(SECOND, key())).reasoning == TEXTS["reasoning"]
    assert len(files(folder)) == 1


async def test_without_the_object_store_it_is_said_what_is_missing(
    stores: Stores, reopen: OpenStores
) -> None:
    await stores.attempts.add([attempt("0", **TEXTS), attempt("1")])
    bare = await reopen()
    with pytest.raises(StoreError, match="stored texts are in an object store: set ASSAY_OBJECT_STORE"):
        await bare.attempts.get(FIRST, key())
    assert (await bare.attempts.get(FIRST, key("1"))).item_id == "1"


async def test_lost_and_changed_objects_are_errors(stores: Stores, folder: Path) -> None:
    await stores.attempts.add([attempt("0", reasoning=TEXTS["reasoning"])])
    [path] = files(folder)
    kept = path.read_bytes()
    for content in (b"x", kept[:-1000], kept[:-8] + bytes(8)):
        path.write_bytes(content)
        with pytest.raises(ObjectStoreError, match=r"'texts/.*was changed"):
            await stores.attempts.get(FIRST, key())
    path.unlink()
    with pytest.raises(ObjectStoreError, match=r"'texts/.*is not in the object store"):
        await stores.attempts.get(FIRST, key())


def key(item: str = "0") -> AttemptKey:
    return AttemptKey(ItemId(item), 0)


async def remove(stores: Stores, name: str) -> None:
    await stores.runs.set_state(RunId(name), State.CANCELED, at=NOON)
    await stores.runs.delete(RunId(name))
    await stores.runs.delete_unused_texts()
