"""The contract of the run store: runs, evaluations and their states."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import Connection, text

from assay.adapters.store.runs.store import SqlRunStore
from assay.domain.attempt import Call
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Generation
from assay.domain.calls.pricing import Price
from assay.domain.errors import ConflictError, IllegalTransitionError, StoreError, UnknownNameError
from assay.domain.event import Event, EventType
from assay.domain.judging import Judging
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, Description, Evaluation, EvaluationId, Run, RunId, RunSpec, State, Subset
from assay.domain.stats import Estimate, Interval, IntervalMethod
from assay.domain.summary import Bounds, Summary, Tokens, VoteAgreement
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter
from assay.engine.stores.runs import RunFilter
from tests.builders import FINGERPRINT, NOON, attempt
from tests.contracts.conftest import OpenStores

SPEC = RunSpec(("sim/good",), ("letters",))
SUMMARY = Summary(
    score=Estimate(2 / 3, Interval(0.1, 0.9, IntervalMethod.WILSON), 0.123456789012345678, 3, clusters=2),
    scored=3,
    total=4,
    outcomes={Outcome.CORRECT: 2, Outcome.INCORRECT: 1, Outcome.TIMEOUT: 1},
    bounds=Bounds(0.5, 0.75),
    cut=1,
    tokens=Tokens(input=10, output=20, reasoning=5, unknown=1),
    cost_usd=Decimal("0.000000000000000000123"),
    judge_cost_usd=Decimal("1.50"),
    judge_tokens=Tokens(input=3, output=2, reasoning=1),
    agreement=VoteAgreement(alpha=0.5, unanimous=0.75, answers=4, votes=11, failed=1),
    retried=1,
    metrics={"strict": Estimate(0.5, None, None, 4)},
    categories={"vowel": Estimate(1.0, Interval(0.4, 1.0, IntervalMethod.BOOTSTRAP, level=0.9), 0.0, 2)},
    latency={"ttft_ms": {"p50": 12.5, "max": 99.0}},
    duration_s=12.25,
)


def run(run_id: str = "run-1", **changes: object) -> Run:
    return replace(Run(RunId(run_id), SPEC, NOON), **changes)


def evaluation(
    evaluation_id: str = "evaluation-1", *, run_id: str = "run-1", **changes: object
) -> Evaluation:
    made = Evaluation(
        id=EvaluationId(evaluation_id),
        run_id=RunId(run_id),
        model="sim/good",
        benchmark="letters",
        benchmark_version="1",
        fingerprint=FINGERPRINT,
        item_ids=(ItemId("b"), ItemId("a")),
        benchmark_size=26,
        generation=Generation(),
        samples=1,
    )
    return replace(made, **changes)


async def test_a_run_comes_back_as_it_was_added(store: Stores) -> None:
    spec = RunSpec(
        models=("sim/good", "openai/gpt"),
        benchmarks=("letters", "ifeval"),
        subset=Subset(percent=10, count=3, seed="śeed"),
        samples=4,
        generation=Generation(0.7, 0.9, 512, "high", 7, ("\n\n", "END")),
        data="/data/mine.jsonl",
        max_connections=8,
        budget=Budget(Decimal("0.1"), 1_000),
        base_url="http://localhost:1/v1",
        judge=Judging(
            ("sim/judge", "openai/o3-mini"),
            votes=3,
            generation=Generation(temperature=0.5),
            base_url="http://127.0.0.1:1/v1",
            timeout_s=2.5,
            prices={"openai/o3-mini": Price(Decimal("1.1"), Decimal("4.4"), "a list")},
        ),
        priority=-3,
    )
    added = run(
        "5f0c",
        spec=spec,
        state=State.FAILED,
        started_at=NOON + timedelta(microseconds=1),
        finished_at=NOON + timedelta(days=1),
        error="no \x00 luck",
        code_version="0.1.0",
        git_sha="f" * 40,
        owner="ann",
    )
    await store.runs.add(added, [], [])
    assert await store.runs.get("5f0c") == added
    assert await store.runs.evaluations(added.id) == ()


async def test_the_items_that_a_run_names_come_back(store: Stores) -> None:
    added = run("5f0c", spec=RunSpec(("m",), ("letters",), items=(ItemId("śix"), ItemId("a, b"))))
    await store.runs.add(added, [], [])
    assert await store.runs.get("5f0c") == added


async def test_evaluations_come_back_in_their_order(store: Stores) -> None:
    full = evaluation(
        "z",
        model="openai/gpt",
        benchmark="ifeval",
        benchmark_version="2",
        fingerprint=replace(FINGERPRINT, judge="sim/judge", samples=4),
        benchmark_size=541,
        generation=Generation(temperature=0.1, stop=("x",)),
        samples=4,
        state=State.SUCCEEDED,
        price=Price(Decimal("0.10"), Decimal("1E-7"), "https://example.com/prices"),
        summary=SUMMARY,
        error="half of it failed",
        started_at=NOON,
        finished_at=NOON + timedelta(seconds=1),
    )
    await store.runs.add(run(), [full, evaluation("a")], [])
    assert await store.runs.evaluations(RunId("run-1")) == (full, evaluation("a"))
    assert (await store.runs.evaluations(RunId("run-1")))[0].fingerprint.value == full.fingerprint.value


async def test_an_evaluation_of_twelve_thousand_items(store: Stores) -> None:
    items = tuple(ItemId(f"question-{number}") for number in range(12_032, 0, -1))
    same = [evaluation(f"e{number}", item_ids=items) for number in range(3)]
    await store.runs.add(run(), same, [])
    assert [found.item_ids for found in await store.runs.evaluations(RunId("run-1"))] == [items] * 3


async def test_the_same_run_twice_is_a_conflict(store: Stores) -> None:
    await store.runs.add(run(), [evaluation()], [])
    with pytest.raises(ConflictError, match="run-1"):
        await store.runs.add(run(owner="eve"), [], [Event(RunId("run-1"), EventType.RUN_CREATED, NOON)])
    assert await store.runs.get("run-1") == run()
    assert await store.events.page(None) == ()


async def test_a_run_whose_evaluation_exists_is_not_stored_at_all(store: Stores) -> None:
    await store.runs.add(run(), [evaluation()], [])
    with pytest.raises(ConflictError):
        await store.runs.add(
            run("run-2"), [evaluation("new", run_id="run-2"), evaluation(run_id="run-2")], []
        )
    assert (await store.runs.page(RunFilter())).runs == (run(),)
    assert await store.runs.evaluations(RunId("run-2")) == ()


async def test_an_evaluation_of_a_run_that_is_not_stored_is_refused(store: Stores) -> None:
    with pytest.raises(StoreError):
        await store.runs.add(run(), [evaluation(run_id="another")], [])
    assert (await store.runs.page(RunFilter())).total == 0


async def test_a_run_is_found_by_the_start_of_its_id(store: Stores) -> None:
    for run_id in ("abcd-1", "abcd-2", "abcd", "ABCE-3", "a%c_x"):
        await store.runs.add(run(run_id), [], [])
    assert (await store.runs.get("abcd-1")).id == "abcd-1"
    assert (await store.runs.get("ABCE")).id == "ABCE-3"
    assert (await store.runs.get("abcd")).id == "abcd", "a whole id is never ambiguous"
    with pytest.raises(UnknownNameError, match="'abcd-1' or 'abcd-2'"):
        await store.runs.get("abcd-")


@pytest.mark.parametrize("asked", ["", "run", "run-2", "RUN-1", "run-%", "____-", "run-1\x00", "r\ud800n-1"])
async def test_no_other_text_finds_a_run(store: Stores, asked: str) -> None:
    await store.runs.add(run(), [], [])
    with pytest.raises(UnknownNameError) as caught:
        await store.runs.get(asked)
    assert caught.value.name == asked


async def test_runs_are_listed_newest_first(store: Stores) -> None:
    for number in (2, 5, 1, 4, 3):
        await store.runs.add(run(f"run-{number}", created_at=NOON + timedelta(seconds=number)), [], [])
    await store.runs.add(run("run-6", created_at=NOON + timedelta(seconds=5)), [], [])
    page = await store.runs.page(RunFilter(limit=3))
    assert [found.id for found in page.runs] == ["run-6", "run-5", "run-4"]
    assert page.total == 6
    page = await store.runs.page(RunFilter(limit=3, offset=4))
    assert [found.id for found in page.runs] == ["run-2", "run-1"]
    assert (await store.runs.page(RunFilter(offset=9))).total == 6


async def test_runs_are_filtered_by_state_model_and_benchmark(store: Stores) -> None:
    await store.runs.add(run(), [evaluation(), evaluation("e2", model="m2", benchmark="b2")], [])
    await store.runs.add(
        run("run-2", state=State.RUNNING), [evaluation("e3", run_id="run-2", model="m2")], []
    )

    async def found(wanted: RunFilter) -> list[str]:
        page = await store.runs.page(wanted)
        assert page.total == len(page.runs)
        return sorted(each.id for each in page.runs)

    assert await found(RunFilter(model="m2")) == ["run-1", "run-2"]
    assert await found(RunFilter(benchmark="b2")) == ["run-1"]
    assert await found(RunFilter(model="m2", benchmark="letters")) == ["run-1", "run-2"]
    assert await found(RunFilter(state=State.RUNNING)) == ["run-2"]
    assert await found(RunFilter(state=State.RUNNING, benchmark="b2")) == []


async def test_the_state_of_a_run_sets_its_times(store: Stores) -> None:
    await store.runs.add(run(), [], [])
    at = [NOON + timedelta(minutes=minute) for minute in range(6)]
    run_id = RunId("run-1")
    started = await store.runs.set_state(run_id, State.RUNNING, at=at[0])
    assert (started.state, started.started_at, started.finished_at) == (State.RUNNING, at[0], None)
    failed = await store.runs.set_state(run_id, State.FAILED, at=at[1], error="broke")
    assert (failed.started_at, failed.finished_at, failed.error) == (at[0], at[1], "broke")
    queued = await store.runs.set_state(run_id, State.QUEUED, at=at[2])
    assert (queued.started_at, queued.finished_at, queued.error) == (at[0], None, None)
    await store.runs.set_state(run_id, State.PAUSED, at=at[3])
    await store.runs.set_state(run_id, State.QUEUED, at=at[4])
    again = await store.runs.set_state(run_id, State.RUNNING, at=at[5])
    assert (again.started_at, again.finished_at) == (at[0], None)
    assert await store.runs.get("run-1") == again


async def test_a_run_that_never_started_has_an_end_and_no_start(store: Stores) -> None:
    await store.runs.add(run(), [], [])
    canceled = await store.runs.set_state(RunId("run-1"), State.CANCELED, at=NOON)
    assert (canceled.started_at, canceled.finished_at) == (None, NOON)


@pytest.mark.parametrize("target", [State.QUEUED, State.SUCCEEDED])
async def test_an_illegal_change_of_a_run_changes_nothing(store: Stores, target: State) -> None:
    await store.runs.add(run(), [], [])
    with pytest.raises(IllegalTransitionError):
        await store.runs.set_state(RunId("run-1"), target, at=NOON, error="no")
    assert await store.runs.get("run-1") == run()


async def test_an_evaluation_keeps_its_summary_until_another_is_given(store: Stores) -> None:
    await store.runs.add(run(), [evaluation(), evaluation("other")], [])
    await store.runs.set_evaluation_state(EvaluationId("evaluation-1"), State.RUNNING, at=NOON)
    done = await store.runs.set_evaluation_state(
        EvaluationId("evaluation-1"), State.SUCCEEDED, at=NOON + timedelta(seconds=9), summary=SUMMARY
    )
    assert done == evaluation(
        state=State.SUCCEEDED, started_at=NOON, finished_at=NOON + timedelta(seconds=9), summary=SUMMARY
    )
    reopened = await store.runs.set_evaluation_state(
        EvaluationId("evaluation-1"), State.QUEUED, at=NOON, error="x"
    )
    assert (reopened.summary, reopened.finished_at, reopened.error) == (SUMMARY, None, "x")
    newer = replace(SUMMARY, score=None, scored=0)
    last = await store.runs.set_evaluation_state(
        EvaluationId("evaluation-1"), State.FAILED, at=NOON, summary=newer
    )
    assert last.summary == newer
    assert await store.runs.evaluations(RunId("run-1")) == (last, evaluation("other"))


async def test_an_illegal_change_of_an_evaluation_changes_nothing(store: Stores) -> None:
    await store.runs.add(run(), [evaluation()], [])
    with pytest.raises(IllegalTransitionError):
        await store.runs.set_evaluation_state(
            EvaluationId("evaluation-1"), State.SUCCEEDED, at=NOON, summary=SUMMARY
        )
    assert await store.runs.evaluations(RunId("run-1")) == (evaluation(),)


async def test_what_does_not_exist_cannot_change(store: Stores) -> None:
    with pytest.raises(UnknownNameError, match="no run 'nothing'"):
        await store.runs.set_state(RunId("nothing"), State.RUNNING, at=NOON)
    with pytest.raises(UnknownNameError, match="no evaluation 'nothing'"):
        await store.runs.set_evaluation_state(EvaluationId("nothing"), State.RUNNING, at=NOON)


async def test_of_concurrent_changes_one_wins(store: Stores, reopen: OpenStores) -> None:
    await store.runs.add(run(), [evaluation()], [])
    others = [store, await reopen(), await reopen()]
    changes = [each.runs.set_state(RunId("run-1"), State.RUNNING, at=NOON) for each in others * 4]
    outcomes = await asyncio.gather(*changes, return_exceptions=True)
    assert sum(isinstance(outcome, Run) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, IllegalTransitionError) for outcome in outcomes) == 11
    changes = [
        each.runs.set_evaluation_state(EvaluationId("evaluation-1"), State.RUNNING, at=NOON)
        for each in others * 4
    ]
    outcomes = await asyncio.gather(*changes, return_exceptions=True)
    assert sum(isinstance(outcome, Evaluation) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, IllegalTransitionError) for outcome in outcomes) == 11


async def indexed_texts(store: Stores) -> int:
    assert isinstance(store.runs, SqlRunStore)

    def count(connection: Connection) -> int:
        listed = connection.execute(text("SELECT count(*) FROM searched_texts")).scalar_one()
        if connection.dialect.name == "sqlite":
            # Every text here has a blank somewhere, as the index has it.
            held = text("SELECT doc FROM search_terms WHERE term = 'd s' OR term = 'e o' ORDER BY doc DESC")
            assert connection.scalars(held).all() == [1] * listed
        return listed

    return await store.runs.database.read(count)


async def test_a_deleted_run_leaves_nothing_behind_and_takes_nothing_of_others(store: Stores) -> None:
    long, own = "shared " * 200, "of one run alone " * 200
    for name in ("1", "2"):
        await store.runs.add(run(f"run-{name}"), [evaluation(f"evaluation-{name}", run_id=f"run-{name}")], [])
    made = attempt("a", prompt=long, answer=own, calls=(Call(NOON, 1.0),))
    await store.attempts.add([made, replace(made, evaluation_id=EvaluationId("evaluation-2"), answer=long)])
    assert await indexed_texts(store) == 2
    with pytest.raises(ConflictError, match="cancel or pause it first"):
        await store.runs.delete(RunId("run-1"))
    await store.runs.set_state(RunId("run-1"), State.CANCELED, at=NOON)
    await store.runs.delete(RunId("run-1"))
    await store.runs.delete_unused_texts()
    with pytest.raises(UnknownNameError):
        await store.runs.get("run-1")
    assert await store.attempts.keys(EvaluationId("evaluation-1")) == set()
    kept = await store.attempts.get(EvaluationId("evaluation-2"), made.key)
    assert (kept.prompt, kept.answer) == (long, long)
    assert await indexed_texts(store) == 1
    found = AttemptFilter(search="shared shared")
    assert await store.attempts.count(EvaluationId("evaluation-2"), found) == 1
    assert (await store.runs.evaluations(RunId("run-2")))[0].item_ids == (ItemId("b"), ItemId("a"))


async def test_old_runs_are_found_by_their_age(store: Stores) -> None:
    await store.runs.add(run("run-old"), [], [])
    await store.runs.add(run("run-new", created_at=NOON + timedelta(days=1)), [], [])
    page = await store.runs.page(RunFilter(created_before=NOON + timedelta(hours=1)))
    assert [one.id for one in page.runs] == ["run-old"]


async def test_a_run_is_described_and_found_by_its_name_and_tags(store: Stores) -> None:
    described = Description("Night \x00 Baseline", "with the new prompt", ("ci", "v1.2"))
    await store.runs.add(run("run-1", description=described), [], [])
    await store.runs.add(run("run-2"), [], [])
    assert (await store.runs.get("run-1")).description == described
    assert (await store.runs.get("run-2")).description == Description()
    for wanted in (RunFilter(name="baseline"), RunFilter(tag="CI"), RunFilter(name="night", tag="v1.2")):
        assert [one.id for one in (await store.runs.page(wanted)).runs] == ["run-1"], wanted
    for wanted in (RunFilter(tag="c"), RunFilter(tag="v1.2", name="zzz")):
        assert (await store.runs.page(wanted)).runs == ()
    changed = await store.runs.describe(RunId("run-1"), Description(note="only this"))
    assert changed == await store.runs.get("run-1")
    assert changed.description == Description(note="only this")
