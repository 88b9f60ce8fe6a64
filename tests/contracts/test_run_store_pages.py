"""The contract of the run store: finding runs and attempts, page by page."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest

from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Image, Message, Prompt
from assay.domain.calls.timing import StreamTiming
from assay.domain.errors import InvalidValueError
from assay.domain.outcome import Outcome
from assay.domain.run import Description, EvaluationId, Run, RunId, RunSpec, State
from assay.domain.stats import Estimate
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter, AttemptOrder
from assay.engine.stores.runs import RunFilter, RunOrder
from tests.builders import NOON, Seeded, attempt
from tests.contracts.test_run_store import SUMMARY

EVALUATION = EvaluationId("evaluation-1")


async def add_run(store: Stores, run_id: str, models: Sequence[str] = (), **changes: Any) -> None:
    run = replace(Run(RunId(run_id), RunSpec(("any",), ("letters",)), NOON), **changes)
    evaluations = [
        Seeded(run).evaluation(id=EvaluationId(f"{run_id}/{place}"), model=model)
        for place, model in enumerate(models)
    ]
    await store.runs.add(run, evaluations, [])


async def found_runs(store: Stores, **wanted: Any) -> list[str]:
    page = await store.runs.page(RunFilter(**wanted))
    assert page.total == len(page.runs)
    return sorted(run.id for run in page.runs)


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("GEMINI", ["both", "one"]),
        ("google/Gemini-2.5-pro", ["both", "one"]),
        ("%", ["odd"]),
        ("_", ["odd"]),
        ("a\x00B", ["odd"]),
        ("ÜBER", ["odd"]),
        ("über", []),
        ("gemini sim", []),
        ("", ["both", "odd", "one"]),
    ],
)
async def test_runs_are_found_by_a_part_of_a_models_name(store: Stores, part: str, found: list[str]) -> None:
    await add_run(store, "one", ["openrouter/google/gemini-2.5-pro"])
    await add_run(store, "both", ["sim/good", "openrouter/google/gemini-2.5-pro"])
    await add_run(store, "odd", ["A\x00b %_", "Über"])
    assert await found_runs(store, model=part) == found


async def test_runs_are_found_by_owner_and_by_several_states(store: Stores) -> None:
    for owner in (None, "ann", "bob"):
        for state in (State.QUEUED, State.RUNNING, State.FAILED):
            await add_run(store, f"{owner}-{state}", owner=owner, state=state)
    assert await found_runs(store, owner="ann") == ["ann-failed", "ann-queued", "ann-running"]
    assert await found_runs(store, owner="Ann") == []
    live = frozenset({State.QUEUED, State.RUNNING})
    assert await found_runs(store, owner="bob", states=live) == ["bob-queued", "bob-running"]
    assert await found_runs(store, owner="bob", states=live, state=State.QUEUED) == ["bob-queued"]
    assert len(await found_runs(store)) == 9


@pytest.mark.parametrize("is_one_per_item", [False, True])
async def test_a_search_counts_some_matches_beyond_the_page(
    seeded: Stores, monkeypatch: pytest.MonkeyPatch, *, is_one_per_item: bool
) -> None:
    monkeypatch.setattr("assay.adapters.store.attempts.filters._COUNTED_AHEAD", 3)
    samples = (1, 2) if is_one_per_item else (0,)
    await seeded.attempts.add(
        [attempt(f"i{at}", sample=sample, answer="It is Paris") for at in range(5) for sample in samples]
    )
    await seeded.attempts.add([attempt("i2", sample=3, answer="It is Rome")])

    async def found(part: str, *, limit: int = 2, offset: int = 0) -> tuple[list[tuple[str, int]], int, bool]:
        wanted = AttemptFilter(search=part, limit=limit, offset=offset, is_one_per_item=is_one_per_item)
        page = await seeded.attempts.found(EVALUATION, wanted)
        return [(one.item_id, one.sample) for one in page.attempts], page.total, page.is_total_exact

    first = samples[0]
    assert await found("paris") == ([("i0", first), ("i1", first)], 3, False)
    assert await found("paris", offset=1) == ([("i1", first), ("i2", first)], 4, False)
    assert await found("paris", offset=2) == ([("i2", first), ("i3", first)], 5, True)
    assert (await found("paris", limit=4))[1:] == (4, False)
    assert (await found("paris", limit=5))[1:] == (5, True)
    assert await found("paris", offset=9) == ([], 5, True)
    assert await found("rome") == ([("i2", 3)], 1, True)
    assert (await found(""))[1] == (5 if is_one_per_item else 6), "all are counted where no text is read"


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("-created", ["open", "free", "dear", "cheap"]),
        ("created", ["cheap", "dear", "free", "open"]),
        ("score", ["cheap", "open", "dear", "free"]),
        ("-score", ["dear", "open", "cheap", "free"]),
        ("cost", ["cheap", "dear", "open", "free"]),
        ("-cost", ["dear", "cheap", "open", "free"]),
        ("duration", ["dear", "free", "cheap", "open"]),
        ("-duration", ["cheap", "free", "dear", "open"]),
    ],
)
async def test_runs_are_sorted_over_all_pages(store: Stores, order: RunOrder, expected: list[str]) -> None:
    """The best score counts; what is unknown in part is unknown, and comes last."""
    figures: Mapping[str, tuple[float | None, Sequence[tuple[float, str | None]]]] = {
        "cheap": (60.0, [(0.25, "9.5"), (0.5, "0.5")]),
        "dear": (1.5, [(0.75, "100")]),
        "free": (59.999, []),
        "open": (None, [(0.1, "200"), (0.6, None)]),
    }
    for age, (name, (took_s, scored)) in enumerate(figures.items()):
        run = Run(RunId(name), RunSpec(("m",), ("letters",)), NOON + timedelta(hours=age), started_at=NOON)
        if took_s is not None:
            run = replace(run, finished_at=NOON + timedelta(seconds=took_s))
        summaries = [
            replace(SUMMARY, score=Estimate(value, None, None, 4), cost_usd=cost and Decimal(cost))
            for value, cost in scored
        ]
        own = [
            Seeded(run).evaluation(id=EvaluationId(f"{name}/{place}"), summary=summary)
            for place, summary in enumerate(summaries)
        ]
        await store.runs.add(run, own, [])
    pages = [(await store.runs.page(RunFilter(sort=order, limit=2, offset=at))).runs for at in (0, 2)]
    assert [run.id for page in pages for run in page] == expected


async def test_evaluations_of_many_runs_come_with_the_number_of_their_items(store: Stores) -> None:
    await add_run(store, "empty")
    await add_run(store, "two", ["sim/b", "sim/a"])
    run = Run(RunId("large"), RunSpec(("m",), ("b",)), NOON)
    items = tuple(ItemId(str(number)) for number in range(500))
    large = Seeded(run).evaluation(item_ids=items, samples=3, summary=replace(SUMMARY, total=9))
    await store.runs.add(run, [large], [])
    asked = [RunId(name) for name in ("two", "empty", "large", "unknown")]
    found = await store.runs.evaluations_of(asked)
    assert {run_id: [one.model for one in own] for run_id, own in found.items()} == {
        "two": ["sim/b", "sim/a"],
        "empty": [],
        "large": ["sim/good"],
        "unknown": [],
    }
    assert found[run.id] == (replace(large, item_ids=(), item_count=500),)
    assert found[run.id][0].total_attempts == large.total_attempts == 1_500
    assert (await store.runs.evaluations(run.id))[0].item_count is None


def timed(item: str, *, stream_ms: float | None, whole_ms: int = 0) -> Attempt:
    timing = None if stream_ms is None else StreamTiming(stream_ms, None, None, None, None, 0, 1, None)
    return attempt(item, timing=timing, finished_at=NOON + timedelta(milliseconds=whole_ms))


@pytest.fixture
async def seeded(store: Stores) -> Stores:
    await store.runs.add(Seeded().run, [Seeded().evaluation()], [])
    return store


async def found_items(store: Stores, wanted: AttemptFilter) -> list[str]:
    return [each.item_id for each in await store.attempts.page(EVALUATION, wanted)]


_CONVERSATION = Prompt(
    (
        Message("system", 'Say "Föö"\ntwice'),
        Message("user", ("在法国", Image("data:image/png;base64,iVBORw0"), "\ud800 half")),
    )
).to_json()


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("item-1", ["item-1", "item-10"]),
        ("ITEM-10", ["item-10"]),
        ("paris", ["item-1", "item-10", "item-2"]),
        ("PARIS, 1", ["item-2"]),
        ("100%", ["item-3"]),
        ("0_", []),
        ("a\x00b", ["item-3"]),
        ("'; --", []),
        ("END of a long answer", ["item-4"]),
        ("xX", ["item-4"]),
        ("ö", ["item-5"]),
        ("~", ["item-4"]),
        ("r~", ["item-4"]),
        ("long  answer", []),
        ("x" * 600, ["item-4"]),
        ('say "föö"\nTWICE', ["item-5"]),
        ("法国", ["item-5"]),
        ("role", []),
        ("iVBORw0", []),
        ("\ud800 half", ["item-5"]),
        ("", ["item-1", "item-10", "item-2", "item-3", "item-4", "item-5"]),
    ],
)
async def test_attempts_are_searched(seeded: Stores, part: str, found: list[str]) -> None:
    await seeded.attempts.add(
        [
            attempt("item-1", extracted="Paris"),
            attempt("item-10", expected="PARIS"),
            attempt("item-2", answer="It is Paris, 100 km away"),
            attempt("item-3", answer="100% A\x00B"),
            attempt("item-4", answer="x" * 600 + "end of a long answer~"),
            attempt("item-5", answer="", prompt=_CONVERSATION),
        ]
    )
    wanted = AttemptFilter(search=part)
    assert await found_items(seeded, wanted) == found
    assert await seeded.attempts.count(EVALUATION, wanted) == len(found)
    last = await seeded.attempts.found(EVALUATION, replace(wanted, limit=1, offset=max(0, len(found) - 1)))
    assert ([each.item_id for each in last.attempts], last.total) == (found[-1:], len(found))
    beyond = await seeded.attempts.found(EVALUATION, replace(wanted, offset=9))
    assert (beyond.attempts, beyond.total) == ((), len(found))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("item", ["a", "b", "c", "d", "e"]),
        ("score", ["c", "e", "b", "a", "d"]),
        ("-score", ["b", "c", "e", "a", "d"]),
    ],
)
async def test_attempts_are_sorted_by_score(seeded: Stores, order: AttemptOrder, expected: list[str]) -> None:
    scores = {"d": None, "b": 0.75, "e": 0.5, "c": 0.5, "a": None}
    await seeded.attempts.add([attempt(item, score=score) for item, score in scores.items()])
    assert await found_items(seeded, AttemptFilter(sort=order)) == expected


async def test_attempts_are_sorted_by_duration(seeded: Stores) -> None:
    """By that of the answering call where it is known: the whole attempt includes waiting and retries."""
    await seeded.attempts.add(
        [
            timed("call", stream_ms=1_500.5, whole_ms=9_000),
            timed("whole", stream_ms=None, whole_ms=1_501),
            timed("none", stream_ms=None),
            timed("same", stream_ms=1_501.0),
            timed("slow", stream_ms=None, whole_ms=3_600_000),
        ]
    )
    rising = ["none", "call", "same", "whole", "slow"]
    falling = ["slow", "same", "whole", "call", "none"]
    assert await found_items(seeded, AttemptFilter(sort="duration")) == rising
    assert await found_items(seeded, AttemptFilter(sort="-duration")) == falling


async def test_pages_by_offset_hold_every_attempt_once(seeded: Stores) -> None:
    given = [
        attempt(f"{number:02}", sample=sample, score=number % 3 / 2, prompt="?" * 600, item_hash=f"h{number}")
        for number in range(10)
        for sample in (0, 1)
    ]
    await seeded.attempts.add(given[::-1])
    for order in ("item", "score", "-score", "duration"):
        wanted = AttemptFilter(sort=order, limit=6)
        pages = [
            await seeded.attempts.page(EVALUATION, replace(wanted, offset=at)) for at in (0, 6, 12, 18, 24)
        ]
        assert [len(page) for page in pages] == [6, 6, 6, 2, 0]
        assert {each.key: each for page in pages for each in page} == {each.key: each for each in given}
        assert await seeded.attempts.count(EVALUATION, replace(wanted, offset=18)) == 20
    by_score = [
        each.key
        for page in (0, 6)
        for each in await seeded.attempts.page(EVALUATION, AttemptFilter(sort="score", limit=6, offset=page))
    ]
    assert by_score == [each.key for each in sorted(given, key=lambda each: each.score or 0)][:12]


async def test_filters_go_together(seeded: Stores) -> None:
    await seeded.attempts.add(
        [
            attempt("a", extracted="x", score=0.0, outcome=Outcome.INCORRECT),
            attempt("b", extracted="x", score=0.5, outcome=Outcome.INCORRECT),
            attempt("c", extracted="x"),
            attempt("d", extracted="y", score=0.25, outcome=Outcome.INCORRECT),
            attempt("e", extracted="x", score=0.75, outcome=Outcome.INCORRECT),
        ]
    )
    wrong = AttemptFilter(frozenset({Outcome.INCORRECT}), search="X")
    assert await found_items(seeded, replace(wrong, sort="-score", offset=1)) == ["b", "a"]
    assert await found_items(seeded, replace(wrong, after=AttemptKey(ItemId("a"), 0))) == ["b", "e"]
    assert await seeded.attempts.count(EVALUATION, replace(wrong, after=AttemptKey(ItemId("b"), 0))) == 3
    assert await seeded.attempts.count(EvaluationId("unknown"), wrong) == 0


def test_a_key_says_nothing_about_a_page_in_another_order() -> None:
    with pytest.raises(InvalidValueError, match="'-score' are found by their offset"):
        AttemptFilter(after=AttemptKey(ItemId("a"), 0), sort="-score")


async def test_the_hash_of_the_item_is_kept(seeded: Stores) -> None:
    hashed = attempt(item_hash="f" * 64)
    await seeded.attempts.add([hashed, attempt("1")])
    assert await seeded.attempts.get(EVALUATION, hashed.key) == hashed
    assert [each.item_hash async for each in seeded.attempts.results(EVALUATION)] == ["f" * 64, None]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("0ONE", ["0one"]),
        ("one", ["0one"]),
        ("NIGHT", ["0one"]),
        ("good night", ["0one"]),
        ("release", ["2two"]),
        ("good", ["0one", "2two"]),
        ("letters", ["0one", "2two"]),
        ("good nothing", []),
        ('"', []),
        ("%", []),
        ("  ", ["0one", "2two"]),
    ],
)
async def test_runs_are_searched_by_id_model_benchmark_name_and_tag(
    store: Stores, words: str, found: list[str]
) -> None:
    await add_run(store, "0one", ["sim/good"])
    await add_run(store, "2two", ["sim/good", "sim/weak"])
    await store.runs.describe(RunId("0one"), Description("nightly, one", "", ("x",)))
    await store.runs.describe(RunId("2two"), Description("", "", ("release-2",)))
    assert await found_runs(store, search=words) == found


async def test_archived_runs_are_listed_apart(store: Stores) -> None:
    await add_run(store, "0one")
    await add_run(store, "2two", description=Description(tags=("ci",), is_archived=True))
    assert await found_runs(store, is_archived=False) == ["0one"]
    assert await found_runs(store, is_archived=True, tag="ci") == ["2two"]
    assert await found_runs(store) == ["0one", "2two"]
    await store.runs.describe(RunId("2two"), Description(tags=("ci",)))
    assert await found_runs(store, is_archived=False) == ["0one", "2two"]


async def test_all_attempts_are_counted_on_every_page(seeded: Stores) -> None:
    await seeded.attempts.add([attempt(item) for item in "abc"])
    for offset, found in ((0, ["a", "b"]), (2, ["c"]), (4, [])):
        page = await seeded.attempts.found(EVALUATION, AttemptFilter(limit=2, offset=offset))
        assert ([one.item_id for one in page.attempts], page.total) == (found, 3)
