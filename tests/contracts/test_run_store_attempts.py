"""The contract of the run store: attempts and their calls."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from assay.domain.attempt import Attempt, AttemptKey, Call
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Json, Usage
from assay.domain.calls.timing import Arrivals, StreamTiming
from assay.domain.errors import StoreError, UnknownNameError
from assay.domain.outcome import RETRYABLE, VERDICTS, Outcome
from assay.domain.run import EvaluationId, RunId
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter, ErrorKind
from tests.builders import NOON, Seeded, attempt
from tests.contracts.conftest import OpenStores

DETAILS: tuple[dict[str, Json], ...] = (
    {},
    {"a": {"b": [1, [2, {}]]}},
    {"NUL \x00": "\x00\x1a"},
    {"half": "\udc00"},
    {"big": 2**70, "small": 1e-300},
)
EVALUATION = EvaluationId("evaluation-1")
LONG = "What is six times seven? " * 400


def key(item: str = "0", sample: int = 0) -> AttemptKey:
    return AttemptKey(ItemId(item), sample)


def call(second: int, **changes: object) -> Call:
    return replace(Call(NOON + timedelta(seconds=second), 12.5, status=200), **changes)


def missing(item: str = "0", **changes: object) -> Attempt:
    return attempt(item, **{"outcome": Outcome.TIMEOUT, "score": None, "error_code": "timeout"} | changes)


@pytest.fixture
async def seeded(store: Stores) -> Stores:
    evaluations = [Seeded().evaluation(), Seeded().evaluation(id=EvaluationId("evaluation-2"))]
    await store.runs.add(Seeded().run, evaluations, [])
    return store


FULL = Attempt(
    evaluation_id=EVALUATION,
    item_id=ItemId("ü/1"),
    sample=3,
    outcome=Outcome.PARTIAL,
    score=0.1 + 0.2,
    started_at=NOON + timedelta(microseconds=1),
    finished_at=NOON + timedelta(seconds=2),
    prompt=LONG,
    answer="forty-two",
    reasoning="because " * 100,
    extracted="42",
    expected="forty-two",
    explanation="words, not digits",
    details={"checks": [True, None, 1.5, "é"], "nested": {"a": {}}},
    test_code="assert answer == 42",
    finish_reason="stop",
    is_cut=True,
    usage=Usage(2**40, 2, 3, 4, Decimal("0.00001")),
    timing=StreamTiming(10.5, 1.25, 2.5, 3.75, 4.125, 5, 6, 7.0625),
    cost_usd=Decimal("0.123456789012345678901234567890"),
    judge_cost_usd=Decimal("1E-12"),
    error_code="odd",
    error_message="odd, but graded",
    tries=2,
    calls=(
        call(0, status=429, error_code="rate-limited", error_message="slow down", concurrency=64),
        Call(
            NOON + timedelta(seconds=1),
            99.5,
            status=200,
            finish_reason="stop",
            usage=Usage(1, 2, 3, 4, Decimal("0.5")),
            timing=StreamTiming(90.0, 10.0, 11.0, 12.0, 13.0, 14, 15, 16.0),
            served_model="gpt-x",
            system_fingerprint="fp_1",
            concurrency=63,
        ),
        call(2, role="judge", status=None),
    ),
)


async def test_an_attempt_comes_back_whole(seeded: Stores) -> None:
    await seeded.attempts.add([FULL])
    assert await seeded.attempts.get(EVALUATION, FULL.key) == FULL


async def test_the_arrivals_of_a_stream_come_back(seeded: Stores) -> None:
    """On a clock of the store's own, to a tenth of a millisecond."""
    timing = StreamTiming(8_000.0)
    streamed = call(0, timing=timing, arrivals=Arrivals(100.0, 108.0, [100.25, 100.2511, 108.0]))
    at_once = call(1, timing=timing, arrivals=Arrivals(0.0, 8.0))
    await seeded.attempts.add([attempt(calls=(streamed, at_once, call(2)))])
    back = (await seeded.attempts.get(EVALUATION, key())).calls[0].arrivals
    assert back is not None
    offsets_s = [round(at_s - back.started_s, 4) for at_s in back.chunks_s]
    assert offsets_s == [0.25, 0.2511, 8.0]


async def test_an_attempt_with_nothing_in_it_comes_back(seeded: Stores) -> None:
    bare = missing(answer="", usage=Usage(), error_code=None)
    await seeded.attempts.add([bare])
    assert await seeded.attempts.get(EVALUATION, key()) == bare


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "NUL \x00 and \x00",
        "half a pair \ud83d and the other \ude00",
        "a whole one \U0001f600",
        "\x1a0000 \x1a \x1a\x00",
        "line\r\nend\u2028\ufeff\ufffe",
        "x" * 512,
        "é" * 513,
        "\x00" * 5_000,
        "\ud800" * 5_000,
        "a long answer of a model\n" * 40_000,
    ],
    ids=lambda text: f"{len(text)}-{text[:12]!a}",
)
async def test_any_text_comes_back_unchanged(seeded: Stores, text: str) -> None:
    given = attempt(
        text[:100] or "empty",
        prompt=text,
        answer=text,
        reasoning=text,
        test_code=text,
        extracted=text,
        expected=text,
        explanation=text,
        error_message=text,
        finish_reason=text[:100],
        calls=(call(0, error_message=text, served_model=text[:100]),),
    )
    await seeded.attempts.add([given])
    assert await seeded.attempts.get(EVALUATION, given.key) == given
    assert await seeded.attempts.page(EVALUATION, AttemptFilter()) == (replace(given, calls=()),)


@pytest.mark.parametrize("details", DETAILS)
async def test_any_details_come_back_unchanged(seeded: Stores, details: dict[str, Json]) -> None:
    await seeded.attempts.add([attempt(details=details)])
    assert (await seeded.attempts.get(EVALUATION, key())).details == details


async def test_an_empty_batch_is_nothing(seeded: Stores) -> None:
    await seeded.attempts.add([])
    assert await seeded.attempts.keys(EVALUATION) == set()


@pytest.mark.parametrize("outcome", sorted(VERDICTS))
async def test_a_verdict_is_never_overwritten(seeded: Stores, outcome: Outcome) -> None:
    first = attempt(outcome=outcome, calls=(call(0),), tries=1)
    await seeded.attempts.add([first])
    later = attempt(outcome=Outcome.INCORRECT, score=0.0, answer="b", calls=(call(9),), tries=1)
    await seeded.attempts.add([later, missing(calls=(call(10),)), attempt("1")])
    assert await seeded.attempts.get(EVALUATION, key()) == first
    assert await seeded.attempts.keys(EVALUATION) == {key(), key("1")}


@pytest.mark.parametrize("outcome", sorted(RETRYABLE))
async def test_missing_data_gives_way_and_its_calls_are_kept(seeded: Stores, outcome: Outcome) -> None:
    first = missing(outcome=outcome, calls=(call(0, status=503), call(1, status=None)), tries=2)
    second = missing(calls=(call(2, role="judge"),), error_message="again")
    third = attempt(answer=LONG, calls=(call(3),), tries=1)
    for tried in (first, second, third):
        await seeded.attempts.add([tried])
    kept = await seeded.attempts.get(EVALUATION, key())
    assert kept == replace(third, calls=first.calls + second.calls + third.calls, tries=3)


async def test_what_every_try_cost_is_counted(seeded: Stores) -> None:
    first = missing(calls=(call(0),), cost_usd=Decimal("0.3"))
    unpaid = missing(calls=(call(1),), judge_cost_usd=Decimal("0.1"))
    last = attempt(calls=(call(2),), cost_usd=Decimal("0.4"), judge_cost_usd=Decimal("0.2"))
    for tried in (first, first, unpaid, unpaid, last, last):
        await seeded.attempts.add([tried])
    kept = await seeded.attempts.get(EVALUATION, key())
    assert (kept.cost_usd, kept.judge_cost_usd) == (Decimal("0.7"), Decimal("0.3"))


async def test_a_batch_stored_twice_changes_nothing(seeded: Stores) -> None:
    batch = [missing(calls=(call(0), call(1)), tries=2), attempt("1", calls=(call(0),), tries=1)]
    await seeded.attempts.add(batch)
    await seeded.attempts.add(batch)
    assert [await seeded.attempts.get(EVALUATION, given.key) for given in batch] == batch


async def test_a_key_twice_in_one_batch_is_settled_in_order(seeded: Stores) -> None:
    verdict = attempt(answer="second", calls=(call(1),), tries=1)
    await seeded.attempts.add(
        [missing(calls=(call(0),), tries=1), verdict, attempt(answer="third", calls=(call(2),))]
    )
    assert await seeded.attempts.get(EVALUATION, key()) == replace(verdict, calls=(call(0), call(1)), tries=2)


async def test_new_and_known_keys_in_one_batch(seeded: Stores) -> None:
    await seeded.attempts.add([attempt(str(number), calls=(call(0),)) for number in range(0, 1_200, 2)])
    given = [attempt(str(number), answer="new", calls=(call(1),)) for number in range(1_200)]
    await seeded.attempts.add(given)
    for number in (0, 1, 598, 599, 1_199):
        stored = await seeded.attempts.get(EVALUATION, key(str(number)))
        assert stored.answer == ("new" if number % 2 else "a")
        assert stored.calls == (call(number % 2),)


async def test_one_unknown_evaluation_refuses_the_batch(seeded: Stores) -> None:
    with pytest.raises(StoreError, match="no evaluation 'unknown'"):
        await seeded.attempts.add([attempt(), attempt(evaluation_id=EvaluationId("unknown"))])
    assert await seeded.attempts.keys(EVALUATION) == set()


async def test_evaluations_do_not_mix(seeded: Stores) -> None:
    other = EvaluationId("evaluation-2")
    await seeded.attempts.add([attempt(answer="one"), attempt(answer="two", evaluation_id=other)])
    assert (await seeded.attempts.get(EVALUATION, key())).answer == "one"
    assert [each.answer for each in await seeded.attempts.page(other, AttemptFilter())] == ["two"]
    assert [each.evaluation_id async for each in seeded.attempts.results(other)] == [other]


async def test_stored_keys(seeded: Stores) -> None:
    await seeded.attempts.add([attempt("a"), attempt("a", sample=1), missing("b")])
    assert await seeded.attempts.keys(EVALUATION) == {key("a"), key("a", 1), key("b")}
    assert await seeded.attempts.keys(EVALUATION, verdicts_only=True) == {key("a"), key("a", 1)}
    assert await seeded.attempts.keys(EvaluationId("unknown")) == set()


async def test_the_newest_answer_to_the_same_request_is_found(store: Stores) -> None:
    for name, owner, endpoint in (
        ("older", None, "here"),
        ("newer", None, "here"),
        ("asking", None, "here"),
        ("ada's", "ada", "here"),
        ("elsewhere", None, "there"),
    ):
        run = replace(Seeded().run, id=RunId(name), owner=owner)
        evaluation = Seeded().evaluation(id=EvaluationId(name), run_id=run.id, endpoint=endpoint)
        await store.runs.add(run, [evaluation], [])
    older = attempt(
        evaluation_id="older", prompt=LONG, reasoning="because", item_hash="h", tries=1, calls=(call(0),)
    )
    newer = replace(older, evaluation_id=EvaluationId("newer"), finished_at=NOON + timedelta(days=1))
    await store.attempts.add([newer, older])

    async def found(evaluation: str, sample: int = 0, prompt: str = LONG, item: str = "h") -> Attempt | None:
        return await store.attempts.answered_before(
            EvaluationId(evaluation), key(sample=sample), prompt=prompt, item_hash=item
        )

    assert await found("asking") == replace(newer, calls=())
    assert await found("newer") == replace(older, calls=())
    assert await found("asking", sample=1) is None
    assert await found("asking", prompt="another") is None
    assert await found("asking", item="another") is None
    assert await found("ada's") is None
    assert await found("elsewhere") is None


async def test_results_leave_out_texts_and_calls(seeded: Stores) -> None:
    await seeded.attempts.add([FULL])
    bare = replace(FULL, prompt="", answer="", reasoning="", test_code=None, calls=())
    assert [result async for result in seeded.attempts.results(EVALUATION)] == [bare]
    assert [result async for result in seeded.attempts.results(EvaluationId("unknown"))] == []


async def test_results_come_in_key_order_however_many(seeded: Stores) -> None:
    names = [
        "B",
        "a",
        "10",
        "9",
        "é",
        "Z",
        "a-b",
        "a b",
        "",
        "\U0001f600",
        *(f"item {n}" for n in range(1_200)),
    ]
    given = [attempt(name, sample=sample) for name in reversed(names) for sample in (10, 9)]
    await seeded.attempts.add(given)
    assert [each.key async for each in seeded.attempts.results(EVALUATION)] == sorted(
        each.key for each in given
    )


async def test_attempts_come_in_pages(seeded: Stores) -> None:
    given = [attempt(f"{number:03}", sample=sample, prompt=LONG) for number in range(5) for sample in (0, 1)]
    await seeded.attempts.add([replace(each, calls=(call(0),)) for each in reversed(given)])
    first = await seeded.attempts.page(EVALUATION, AttemptFilter(limit=3))
    assert first == tuple(given[:3])
    rest = await seeded.attempts.page(EVALUATION, AttemptFilter(after=first[-1].key))
    assert rest == tuple(given[3:])
    assert await seeded.attempts.page(EVALUATION, AttemptFilter(after=given[-1].key)) == ()


async def test_attempts_are_filtered_by_outcome(seeded: Stores) -> None:
    await seeded.attempts.add(
        [attempt("a"), missing("b"), attempt("c", outcome=Outcome.REFUSED), missing("d")]
    )
    wanted = AttemptFilter(frozenset({Outcome.TIMEOUT, Outcome.REFUSED}), limit=2)
    assert [each.item_id for each in await seeded.attempts.page(EVALUATION, wanted)] == ["b", "c"]
    wanted = replace(wanted, after=key("c"))
    assert [each.item_id for each in await seeded.attempts.page(EVALUATION, wanted)] == ["d"]


async def test_an_attempt_that_was_not_made_is_unknown(seeded: Stores) -> None:
    await seeded.attempts.add([attempt()])
    for evaluation_id, asked in ((EVALUATION, key(sample=1)), (EvaluationId("evaluation-2"), key())):
        with pytest.raises(UnknownNameError, match="no attempt"):
            await seeded.attempts.get(evaluation_id, asked)


async def test_two_writers_of_the_same_attempts(seeded: Stores, reopen: OpenStores) -> None:
    other = await reopen()

    def batch(writer: int, part: int) -> list[Attempt]:
        numbers = range(part * 10, part * 10 + 20)
        ordered = numbers if writer else reversed(numbers)
        shared = {number: f"prompt {number} " * 100 for number in numbers}
        first_try = (call(writer, status=500 + part),)
        return [missing(str(number), prompt=shared[number], calls=first_try, tries=1) for number in ordered]

    await asyncio.gather(
        *(
            writer.attempts.add(batch(n, part))
            for part in range(10)
            for n, writer in enumerate((seeded, other))
        )
    )
    stored = [await seeded.attempts.get(EVALUATION, each) for each in await seeded.attempts.keys(EVALUATION)]
    assert len(stored) == 110
    inner = [each for each in stored if 10 <= int(each.item_id) < 100]
    assert {(len(each.calls), each.tries) for each in inner} == {(4, 4)}


async def test_writers_of_different_evaluations_share_texts(seeded: Stores, reopen: OpenStores) -> None:
    stores = [seeded, await reopen()]
    prompts = [f"prompt {number} " * 100 for number in range(100)]

    def batch(writer: int) -> list[Attempt]:
        made = [
            attempt(str(number), prompt=prompt, evaluation_id=EvaluationId(f"evaluation-{writer + 1}"))
            for number, prompt in enumerate(prompts)
        ]
        return made if writer else made[::-1]

    await asyncio.gather(*(store.attempts.add(batch(writer)) for writer, store in enumerate(stores)))
    for evaluation_id in (EVALUATION, EvaluationId("evaluation-2")):
        page = await seeded.attempts.page(evaluation_id, AttemptFilter(limit=1_000))
        assert {each.prompt for each in page} == set(prompts)


async def test_failed_attempts_are_counted_by_kind_with_the_first_message(seeded: Stores) -> None:
    def failed(item: str, second: int, message: str, code: str = "timeout") -> Attempt:
        at = NOON + timedelta(seconds=second)
        return missing(item, finished_at=at, error_code=code, error_message=message)

    other = replace(missing("0"), evaluation_id=EvaluationId("evaluation-2"), error_code=None)
    await seeded.attempts.add(
        [
            attempt("9"),
            failed("0", 5, "later"),
            failed("1", 2, "first \x1b"),
            failed("2", 1, "alone", "call"),
            other,
        ]
    )
    assert await seeded.attempts.error_kinds([Seeded().run.id]) == {
        EVALUATION: (
            ErrorKind(Outcome.TIMEOUT, "timeout", 2, "first \x1b"),
            ErrorKind(Outcome.TIMEOUT, "call", 1, "alone"),
        ),
        EvaluationId("evaluation-2"): (ErrorKind(Outcome.TIMEOUT, None, 1, None),),
    }
    assert await seeded.attempts.error_kinds([]) == {}


async def test_scores_are_read_by_item_with_none_for_those_missing(seeded: Stores) -> None:
    odd = "half \udc00 and NUL \x00"
    made = [attempt(odd, sample=1, score=0.25), missing(odd), attempt("1"), attempt("2")]
    await seeded.attempts.add([*made, replace(attempt("1"), evaluation_id=EvaluationId("evaluation-2"))])
    wanted = [ItemId(odd), ItemId("1"), ItemId("never asked")]
    found = await seeded.attempts.scores(EVALUATION, wanted)
    assert {item: list(scores) for item, scores in found.items()} == {odd: [None, 0.25], "1": [1.0]}
    assert not await seeded.attempts.scores(EVALUATION, [])


async def test_verdicts_are_read_in_order_without_what_has_none(
    seeded: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.adapters.store.attempts.store._VERDICTS_PER_PAGE", 2)
    await seeded.attempts.add(
        [attempt("b", score=0.5), missing("c"), attempt("a", sample=1), attempt("a", score=0.0), attempt("d")]
    )
    found = [one async for one in seeded.attempts.verdicts(EVALUATION)]
    assert found == [(key("a"), 0.0), (key("a", 1), 1.0), (key("b"), 0.5), (key("d"), 1.0)]
