"""How SQLite finds the rows of a page of items."""

from pathlib import Path
from typing import Any

from sqlalchemy import event

from assay.adapters.store.database.database import SqliteDatabase
from assay.adapters.store.stores import open_stores
from assay.domain.run import EvaluationId
from assay.engine.stores.attempts import AttemptFilter
from tests.builders import Seeded, attempt


async def test_the_attempts_of_a_page_are_found_by_their_whole_key(tmp_path: Path) -> None:
    store = await open_stores(f"sqlite:///{tmp_path / 'assay.db'}")
    await store.runs.add(Seeded().run, [Seeded().evaluation()], [])
    await store.attempts.add([attempt(item) for item in "abc"])
    database = getattr(store.attempts, "database")  # noqa: B009 # the port does not have it
    assert isinstance(database, SqliteDatabase)
    plans: list[str] = []

    def explain(_connection: object, cursor: Any, statement: str, parameters: Any, *_others: object) -> None:
        if "answer_sha256" in statement:
            rows = cursor.execute(f"EXPLAIN QUERY PLAN {statement}", parameters).fetchall()
            plans.extend(row[3] for row in rows if "attempts" in row[3])

    event.listen(database.reader, "before_cursor_execute", explain)
    await store.attempts.found(EvaluationId("evaluation-1"), AttemptFilter(limit=2))
    await store.close()
    assert len(plans) == 1
    assert "(evaluation_id=? AND item_id=?" in plans[0]
