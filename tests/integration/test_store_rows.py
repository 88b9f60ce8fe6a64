"""What the tables hold, beyond what the contract of the store shows."""

import tracemalloc
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Select, select, text

from assay.adapters.store.attempts.tables import attempts
from assay.adapters.store.database.blobs import blobs
from assay.adapters.store.database.database import Database, connected
from assay.adapters.store.database.url import located
from assay.adapters.store.evaluations import evaluations
from assay.adapters.store.stores import open_stores
from assay.domain.calls.messages import Usage
from assay.domain.run import EvaluationId, State
from assay.domain.summary import Tokens
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter, RunOrder
from tests.builders import NOON, Seeded, attempt
from tests.contracts.test_run_store import SUMMARY

EVALUATION = EvaluationId("evaluation-1")
OTHER = EvaluationId("evaluation-2")
RUN = Seeded().run.id


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return (
        f"sqlite:///{tmp_path}/a.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    )


@pytest.fixture
async def store(url: str) -> AsyncGenerator[Stores]:
    store = await open_stores(url)
    await store.runs.add(Seeded().run, [Seeded().evaluation(), Seeded().evaluation(id=OTHER)], [])
    yield store
    await store.close()


@pytest.fixture
async def database(store: Stores, url: str) -> AsyncGenerator[Database]:
    _ = store
    database = connected(located(url))
    yield database
    await database.close()


async def rows(database: Database, statement: Select[*tuple[Any, ...]]) -> list[tuple[object, ...]]:
    def fetch(connection: Connection) -> list[tuple[object, ...]]:
        return [tuple(row) for row in connection.execute(statement)]

    return await database.read(fetch)


async def test_times_come_back_in_utc(store: Stores) -> None:
    local = datetime(2026, 7, 1, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    await store.attempts.add([attempt(started_at=local)])
    started_at = (await store.attempts.get(EVALUATION, attempt().key)).started_at
    assert started_at == local
    assert started_at.isoformat() == "2026-06-30T19:32:03.000004+00:00"


async def test_a_prompt_that_models_share_is_stored_once(store: Stores, database: Database) -> None:
    before = len(await rows(database, select(blobs)))
    prompt = "What is six times seven? " * 100
    batch = [attempt(str(number), prompt=prompt) for number in range(3)]
    await store.attempts.add(batch)
    await store.attempts.add([replace(each, evaluation_id=OTHER, reasoning=prompt) for each in batch])
    after = await rows(database, select(blobs.c.size, blobs.c.is_compressed, blobs.c.content))
    assert len(after) == before + 1
    [(_, _, content)] = [row for row in after if row[:2] == (len(prompt), True)]
    assert isinstance(content, bytes)
    assert len(content) < 100


async def test_only_long_texts_are_compressed(store: Stores, database: Database) -> None:
    await store.attempts.add([attempt(prompt="x" * 512, reasoning="x" * 513)])
    found = await rows(database, select(blobs.c.size, blobs.c.is_compressed).where(blobs.c.size > 500))
    assert sorted(found) == [(512, False), (513, True)]


async def test_short_answers_lie_in_the_row(store: Stores, database: Database) -> None:
    await store.attempts.add([attempt("short", answer="a" * 512), attempt("long", answer="a" * 513)])
    statement = select(attempts.c.item_id, attempts.c.answer, attempts.c.answer_sha256.is_(None))
    assert sorted(await rows(database, statement)) == [("long", None, False), ("short", "a" * 512, True)]


async def test_lists_read_the_score_without_the_summary(store: Stores, database: Database) -> None:
    columns = (evaluations.c.score, evaluations.c.scored, evaluations.c.total)
    statement = select(*columns).where(evaluations.c.id == EVALUATION)
    assert await rows(database, statement) == [(None, 0, 4)]
    await store.runs.set_evaluation_state(EVALUATION, State.RUNNING, at=NOON)
    await store.runs.set_evaluation_state(EVALUATION, State.SUCCEEDED, at=NOON, summary=SUMMARY)
    assert await rows(database, statement) == [(2 / 3, 3, 4)]


async def test_removing_a_run_removes_all_of_it(store: Stores, database: Database) -> None:
    await store.attempts.add([attempt(calls=())])

    def remove(connection: Connection) -> None:
        connection.execute(text("DELETE FROM runs"))

    await database.write(remove)
    assert await rows(database, select(attempts)) == []


async def test_results_take_the_same_memory_however_many(store: Stores) -> None:
    for start in range(0, 4_000, 1_000):
        await store.attempts.add(
            [attempt(str(start + number), explanation="x" * 500) for number in range(1_000)]
        )

    async def peak_bytes(limit: int) -> int:
        tracemalloc.start()
        count = 0
        async for _ in store.attempts.results(EVALUATION):
            count += 1
            if count == limit:
                break
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert count == limit
        return peak

    await peak_bytes(1_000)
    assert await peak_bytes(4_000) < 1.5 * await peak_bytes(1_000)


async def test_sqlite_runs_with_our_settings(tmp_path: Path) -> None:
    database = connected(located(f"sqlite:///{tmp_path}/settings.db"))

    def settings(connection: Connection) -> list[object]:
        names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        return [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]

    assert await database.read(settings) == ["wal", 1, 1, 30_000]
    assert await database.write(settings) == ["wal", 1, 1, 30_000]
    await database.close()


async def test_figures_that_cannot_be_right_are_read_as_unknown(store: Stores, database: Database) -> None:
    """Older versions stored them as they came."""
    usual = attempt("a", cost_usd=Decimal("0.5"), usage=Usage(3, 4))
    await store.attempts.add([usual, attempt("b"), attempt("c")])
    await store.runs.set_summary(EVALUATION, replace(SUMMARY, cost_usd=Decimal("0.5"), tokens=Tokens(7, 8)))

    def spoil(connection: Connection) -> None:
        most = 2**63 - 1
        for item_id, cost in (("b", "Infinity"), ("c", "1E+400")):
            values = {"cost": cost, "most": most, "item": item_id}
            connection.execute(text(_SPOIL_ATTEMPT), values)
        for before, after in (('"0.5"', '"Infinity"'), ('"input":7', f'"input":{4 * most}')):
            connection.execute(text(_SPOIL_SUMMARY), {"before": before, "after": after})

    await database.write(spoil)
    spent = await store.attempts.spent(RUN)
    assert (spent.usd, spent.tokens) == (Decimal("0.5"), 7)
    assert (await store.attempts.tokens_used([RUN]))[EVALUATION] == Tokens(3, 4)
    found = [one async for one in store.attempts.results(EVALUATION)]
    assert [one.cost_usd for one in found] == [Decimal("0.5"), None, None]
    assert [one.usage.input_tokens for one in found] == [3, None, None]
    orders: tuple[RunOrder, ...] = ("cost", "-cost")
    for order in orders:
        assert (await store.runs.page(RunFilter(sort=order))).total == 1
    summary = (await store.runs.evaluations_of([RUN]))[RUN][0].summary
    assert summary is not None
    assert (summary.cost_usd, summary.tokens) == (None, Tokens(unknown=1))
    assert summary.score == SUMMARY.score


_SPOIL_ATTEMPT = (
    "UPDATE attempts SET cost_usd = :cost, judge_cost_usd = :cost,"
    " input_tokens = :most, output_tokens = :most WHERE item_id = :item"
)
_SPOIL_SUMMARY = "UPDATE evaluations SET summary = replace(summary, :before, :after)"
