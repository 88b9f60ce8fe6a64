"""Ranks, ties and what stands apart."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import delete

from assay.adapters.store.attempts.store import SqlAttemptStore
from assay.adapters.store.attempts.tables import attempts
from assay.adapters.store.stores import sql_stores
from assay.domain.attempt import Attempt
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId, Run, RunId, RunSpec, State
from assay.domain.stats import score_estimate
from assay.domain.summary import Bounds, Summary, Tokens
from assay.engine.results.leaderboard import Entry, Leaderboard, PairMemory, entries, leaderboard
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter
from tests.builders import FINGERPRINT, NOON, Seeded, attempt
from tests.stores import MemoryDatabase

SIZE = 200


class Counting(SqlAttemptStore):
    """Counts how often results are read."""

    read = 0

    def verdicts(self, evaluation_id: EvaluationId) -> Any:
        self.read += 1
        return super().verdicts(evaluation_id)


@pytest.fixture
def database() -> MemoryDatabase:
    return MemoryDatabase()


@pytest.fixture
def results(database: MemoryDatabase) -> Counting:
    return Counting(database)


@pytest.fixture
def store(database: MemoryDatabase, results: Counting) -> Stores:
    return replace(sql_stores(database), attempts=results)


async def stored(store: Stores, model: str, right: Sequence[bool], **changes: Any) -> Entry:
    """A finished evaluation with these verdicts; fewer than SIZE leave the rest missing."""
    number = (await store.runs.page(RunFilter())).total
    data = changes.pop("data", "official")
    run = Run(RunId(f"{number:08}-run"), RunSpec((model,), ("letters",), data=data), NOON, State.SUCCEEDED)
    score = sum(right) / len(right)
    summary = Summary(
        score=score_estimate([float(one) for one in right], None),
        scored=len(right),
        total=SIZE,
        outcomes={Outcome.CORRECT: sum(right)},
        bounds=Bounds(sum(right) / SIZE, 1 - (len(right) - sum(right)) / SIZE),
        cut=0,
        tokens=Tokens(),
        cost_usd=None,
    )
    assert summary.score
    assert summary.score.value == pytest.approx(score)
    evaluation = Seeded(run).evaluation(
        id=EvaluationId(run.id),
        model=model,
        summary=summary,
        finished_at=NOON,
        **({"state": State.SUCCEEDED} | changes),
    )
    await store.runs.add(run, [evaluation], [])
    await store.attempts.add([_attempt(evaluation.id, item, one) for item, one in enumerate(right)])
    return Entry(run, evaluation)


def _attempt(evaluation_id: EvaluationId, item: int, is_right: bool) -> Attempt:  # noqa: FBT001
    outcome = Outcome.CORRECT if is_right else Outcome.INCORRECT
    return attempt(str(item), evaluation_id=evaluation_id, outcome=outcome, score=float(is_right))


async def board(store: Stores) -> Leaderboard:
    return await leaderboard(await entries(store.runs, "letters"), PairMemory(store.attempts))


def share(right: int, of: int = SIZE) -> list[bool]:
    return [item < right for item in range(of)]


async def test_ranks_skip_the_places_of_those_who_share_one(store: Stores) -> None:
    for model, right in (("d", 40), ("b", 150), ("a", 151), ("c", 100)):
        await stored(store, model, share(right))
    [table] = (await board(store)).tables
    assert [(row.entry.evaluation.model, row.rank, row.is_tied) for row in table.rows] == [
        ("a", 1, True),
        ("b", 1, True),
        ("c", 3, False),
        ("d", 4, False),
    ]
    assert table.rows[0].above is None
    assert all(row.above and row.above.result and row.above.result.adjusted_p for row in table.rows[1:])


async def test_a_rank_counts_the_models_that_are_shown_to_be_better(store: Stores) -> None:
    # Neighbours differ by too little to tell them apart; the first and the last do not.
    for number in range(10):
        await stored(store, f"m{number}", share(180 - 5 * number))
    [table] = (await board(store)).tables
    ranks = [row.rank for row in table.rows]
    assert ranks[:2] == [1, 1]
    assert ranks[-1] > 1
    assert ranks == sorted(ranks)


async def test_rows_stand_in_the_order_of_their_ranks(store: Stores) -> None:
    # The third has too few verdicts to be shown worse than the first; no other order has 1 before 2.
    for model, right in (("a", share(180)), ("b", share(100)), ("c", share(3, of=8))):
        await stored(store, model, right)
    [table] = (await board(store)).tables
    assert [(row.entry.evaluation.model, row.rank) for row in table.rows] == [("a", 1), ("c", 1), ("b", 2)]
    assert all(row.above and row.above.result for row in table.rows[1:])


async def test_the_best_run_of_a_model_is_the_one_that_is_best_with_the_missing_wrong(
    store: Stores,
) -> None:
    whole = await stored(store, "a", share(150))
    await stored(store, "a", share(2, of=2))
    [table] = (await board(store)).tables
    [row] = table.rows
    assert (row.entry.evaluation.id, row.runs) == (whole.evaluation.id, 2)


async def test_official_data_comes_first_and_never_beside_demo_items(store: Stores) -> None:
    await stored(store, "a", share(150), data="demo")
    await stored(store, "b", share(150), data="demo")
    await stored(store, "a", share(100))
    tables = (await board(store)).tables
    assert [(table.data, len(table.rows)) for table in tables] == [("official", 1), ("demo", 2)]


async def test_another_fingerprint_is_another_table_that_says_what_differs(store: Stores) -> None:
    await stored(store, "a", share(100))
    await stored(store, "b", share(100))
    await stored(store, "a", share(100), fingerprint=replace(FINGERPRINT, grader="exact letter 2"))
    tables = (await board(store)).tables
    assert [table.differing for table in tables] == [(), ("grader",)]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"state": State.RUNNING}, "it is running and has no final score yet"),
        ({"state": State.FAILED, "error": "no key"}, "it failed: no key"),
        ({"state": State.CANCELED}, "it was canceled"),
    ],
)
async def test_what_has_not_succeeded_is_not_ranked(
    store: Stores, changes: dict[str, Any], reason: str
) -> None:
    await stored(store, "a", share(100), **changes)
    found = await board(store)
    assert (found.tables, [one.reason for one in found.unranked]) == ((), [reason])


async def test_pairs_are_compared_once_until_one_of_them_ends_anew(store: Stores, results: Counting) -> None:
    ours, theirs = await stored(store, "a", share(100)), await stored(store, "b", share(90))
    pairs = PairMemory(store.attempts)
    for _ in range(3):
        await leaderboard(await entries(store.runs, "letters"), pairs)
    assert results.read == 2
    await stored(store, "c", share(80))
    await leaderboard(await entries(store.runs, "letters"), pairs)
    assert results.read == 5
    again = replace(theirs.evaluation, finished_at=NOON.replace(hour=13))
    await leaderboard([ours, replace(theirs, evaluation=again)], pairs)
    assert results.read == 7


async def test_models_without_a_shared_item_share_a_rank(store: Stores, database: MemoryDatabase) -> None:
    await stored(store, "a", share(10, of=10))
    lower = await stored(store, "b", [False] * 10)
    of_lower = delete(attempts).where(attempts.c.evaluation_id == lower.evaluation.id)
    database.run(lambda connection: connection.execute(of_lower))
    [table] = (await board(store)).tables
    assert [row.rank for row in table.rows] == [1, 1]
    assert "share no scored item" in (table.rows[1].above.sentence if table.rows[1].above else "")
