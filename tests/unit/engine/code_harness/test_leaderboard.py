"""Which run of a model counts, and which runs rank together."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from assay.domain.outcome import Outcome
from assay.domain.run import Evaluation, Run, State
from assay.domain.stats import Estimate, Interval, IntervalMethod
from assay.engine.code_harness.leaderboard import boards, code_boards, default_board, row_document
from tests.builders import FINGERPRINT, NOON
from tests.stores import memory_stores
from tests.unit.engine.code_harness.builders import TASKS, code_run_of, evaluation_of

RIGHT, WRONG, AWAY = Outcome.CORRECT, Outcome.INCORRECT, Outcome.MODEL_ERROR
Pair = tuple[Run, Evaluation]


def ended(number: int, passed: int, *, model: str = "test/one", **changes: Any) -> Pair:
    """A run of the three tasks, of which so many passed."""
    run = code_run_of(number, [model])
    outcomes = {RIGHT: passed, WRONG: 3 - passed}
    return run, evaluation_of(run, outcomes, model=model, **changes)


def rows(*found: Pair) -> list[dict[str, Any]]:
    board = default_board(boards(found))
    return [] if board is None else [dict(row_document(row)) for row in board.rows]


def best_run(*found: Pair) -> str:
    [row] = rows(*found)
    assert row["runs"] == len(found)
    return row["best_run_id"]


def test_the_most_accurate_run_of_a_model_is_its_best_and_gives_cost_and_duration() -> None:
    [row] = rows(ended(1, 1, cost="0.1"), ended(2, 2, cost="9.5", duration_s=77.0), ended(3, 0))
    assert row.pop("figures").keys() == {"accuracy"}
    assert row == {
        "model_id": "test/one",
        "thinking_level": "base",
        "best_accuracy": pytest.approx(2 / 3),
        "cost_at_best": 9.5,
        "duration_at_best": 77.0,
        "best_run_id": "00000002-run",
        "runs": 3,
        "attempts": 3,
        "api_errors": 0,
    }


def test_a_row_has_intervals_and_figures_by_language_type_and_difficulty() -> None:
    run, evaluation = ended(1, 2)
    assert evaluation.summary is not None
    estimate = Estimate(0.5, Interval(0.1, 0.9, IntervalMethod.WILSON), 0.2, 4)
    names = ("pass@1", "pass@5", "type:bug_fix", "difficulty:easy", "answers:git_diff")
    summary = replace(
        evaluation.summary,
        metrics=dict.fromkeys(names, estimate),
        categories={"go": replace(estimate, interval=None)},
    )
    [row] = rows((run, replace(evaluation, summary=summary)))
    assert list(row["figures"]) == ["accuracy", *names[:4], "category:go"]
    assert row["figures"]["pass@5"] == {"value": 0.5, "low": 0.1, "high": 0.9, "n": 4}
    assert row["figures"]["category:go"] == {"value": 0.5, "low": None, "high": None, "n": 4}


def test_equal_accuracy_is_decided_by_cost_then_duration_then_the_newest() -> None:
    assert best_run(ended(1, 2, cost="2"), ended(2, 2, cost="1"), ended(3, 2)) == "00000002-run"
    fast, slow = ended(1, 2, duration_s=1.0), ended(2, 2, duration_s=2.0)
    assert best_run(fast, slow) == "00000001-run"
    assert best_run(ended(1, 2), ended(2, 2)) == "00000002-run"
    # A cost of nothing is known, and less than any other.
    assert best_run(ended(1, 2, cost="0"), ended(2, 2, cost="1")) == "00000001-run"


def test_rows_are_sorted_by_accuracy_cost_duration_and_name() -> None:
    found = rows(
        ended(1, 2, model="test/unknown_cost"),
        ended(2, 2, model="test/dear", cost="5"),
        ended(3, 2, model="test/cheap", cost="1", duration_s=9.0),
        ended(4, 2, model="test/cheap_and_fast", cost="1", duration_s=8.0),
        ended(5, 3, model="test/best"),
        ended(6, 2, model="test/dear_too", cost="5"),
    )
    assert [row["model_id"].removeprefix("test/") for row in found] == [
        "best",
        "cheap_and_fast",
        "cheap",
        "dear",
        "dear_too",
        "unknown_cost",
    ]


def test_levels_of_a_model_are_rows_of_one_board() -> None:
    budget = evaluation_of(
        code_run_of(3),
        {RIGHT: 3},
        benchmark="code_catalogue:thinking=budget_tokens=64",
        generation=replace(evaluation_of(code_run_of(3)).generation, reasoning_effort=None),
    )
    found = rows(ended(1, 1), ended(2, 2, benchmark="code_catalogue:thinking=high"), (code_run_of(3), budget))
    assert [row["thinking_level"] for row in found] == ["budget_tokens=64", "high", "base"]


def test_a_run_of_one_task_ranks_on_a_board_of_its_own() -> None:
    run = code_run_of(2, ["test/lucky"])
    single = evaluation_of(
        run, {RIGHT: 1}, item_ids=TASKS[:1], fingerprint=replace(FINGERPRINT, items_checksum="one task")
    )
    found = boards([(run, single), ended(1, 1)])
    assert [(one.tasks, one.is_whole) for one in found] == [(3, True), (1, False)]
    assert [row["model_id"] for row in rows((run, single), ended(1, 1))] == ["test/one"]
    assert default_board(boards([(run, single)])) is None


def test_runs_with_other_samples_or_temperatures_rank_apart() -> None:
    run, one = ended(1, 1)
    more = replace(one, samples=5, fingerprint=replace(one.fingerprint, samples=5))
    warm = replace(one, generation=replace(one.generation, temperature=1.0))
    assert len(boards([(run, one), (run, more), (run, warm)])) == 3


def test_the_whole_board_with_the_most_runs_is_the_default() -> None:
    shown = evaluation_of(code_run_of(9), {RIGHT: 3}, benchmark="code_catalogue:include-tests")
    default = default_board(boards([(code_run_of(9), shown), ended(1, 1), ended(2, 1)]))
    assert default is not None
    assert (default.benchmark, default.runs) == ("code_catalogue", 2)


def test_tasks_of_the_users_own_are_never_the_default() -> None:
    run, evaluation = ended(1, 3)
    own = replace(run, spec=replace(run.spec, data="/tasks"))
    assert default_board(boards([(own, evaluation)])) is None


def test_api_errors_are_missing_data_and_no_failures() -> None:
    run = code_run_of(1)
    [row] = rows(
        (run, evaluation_of(run, {RIGHT: 3, AWAY: 1}, item_ids=(*TASKS, TASKS[0]), benchmark_size=4))
    )
    assert (row["best_accuracy"], row["attempts"], row["api_errors"]) == (1.0, 3, 1)


def test_a_run_that_lost_tasks_is_not_the_best_by_luck() -> None:
    lucky = code_run_of(2)
    # 2 of 2 that were graded against 3 of 4.
    few = evaluation_of(lucky, {RIGHT: 3, AWAY: 1}, item_ids=(*TASKS, TASKS[0]), benchmark_size=4, cost="0.1")
    steady = code_run_of(1)
    many = evaluation_of(steady, {RIGHT: 4}, item_ids=(*TASKS, TASKS[0]), benchmark_size=4, cost="9")
    assert best_run((lucky, few), (steady, many)) == "00000001-run"


@pytest.mark.parametrize(
    ("outcomes", "changes", "reason"),
    [
        ({RIGHT: 1, AWAY: 2}, {}, "2 of 3 attempts ended in error"),
        ({AWAY: 3}, {}, "no attempt was graded"),
        ({RIGHT: 2}, {"state": State.CANCELED}, "it is canceled"),
        ({RIGHT: 3}, {"model": "replay/test/one"}, "read from a file"),
    ],
)
def test_results_that_say_little_are_listed_with_the_reason(
    outcomes: dict[Outcome, int], changes: dict[str, Any], reason: str
) -> None:
    run = code_run_of(1)
    [board] = boards([(run, evaluation_of(run, outcomes, **changes))])
    assert board.rows == ()
    assert reason in board.unranked[0].reason


async def test_boards_are_read_from_the_store() -> None:
    stores = memory_stores()
    for number in (1, 2):
        run, evaluation = ended(number, number)
        await stores.runs.add(replace(run, created_at=NOON + timedelta(hours=number)), [evaluation], [])
    other = replace(code_run_of(3), spec=replace(code_run_of(3).spec, benchmarks=("letters",)))
    await stores.runs.add(other, [evaluation_of(other, {RIGHT: 3}, benchmark="letters")], [])
    [board] = await code_boards(stores.runs)
    assert [(row.best.run_id, row.runs) for row in board.rows] == [("00000002-run", 2)]
