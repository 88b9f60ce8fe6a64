"""Composites of runs over benchmarks that have the names of the Janus suite, and of other runs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Completion, Usage
from assay.domain.calls.timing import StreamTiming
from assay.domain.composite import Composite, CompositeRule, Part, Weights
from assay.domain.errors import AssayError, ServerError
from assay.domain.outcome import Outcome
from assay.domain.run import Run, RunSpec
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import Request
from assay.engine.results.composite import JANUS_BENCHMARKS, ModelComposite, composites
from assay.engine.results.part_values import (
    GENERIC_SCALE,
    JANUS_SCALE,
    PartTally,
    generic_ttft,
    janus_rate,
    janus_ttft,
    within_target,
)
from tests.builders import CARD, LetterBenchmark, ScriptedModel, World, attempt, rewired

Script = Callable[[Request, int], Completion | AssayError]
# 500 ms to the first token, 30 tokens/s, and even gaps: full marks on the scale of Janus.
STREAMED = StreamTiming(1_500.0, ttft_ms=500.0, chunks=30, tokens_per_s=30.0, continuity=1.0)
ONE_CHUNK = StreamTiming(1_500.0, ttft_ms=1_500.0, chunks=1)
EMPTY = StreamTiming(10.0)


def says(answer: Callable[[Request], str], timing: StreamTiming, tokens: int = 40) -> Script:
    def script(request: Request, _number: int) -> Completion:
        return Completion(answer(request), usage=Usage(10, tokens), timing=timing)

    return script


def right_answer(request: Request) -> str:
    return request.cue().right or ""


def fails(_request: Request, _number: int) -> AssayError:
    return ServerError("asked to fail", status=500)


@dataclass
class Suite:
    """A finished run of some benchmarks, and its composite."""

    script: Script
    names: tuple[str, ...] = JANUS_BENCHMARKS
    rule: CompositeRule = field(default_factory=CompositeRule)
    chances: Mapping[str, float] = field(default_factory=dict[str, float])

    async def found(self, **changes: Any) -> ModelComposite:
        world = World(model=ScriptedModel(self.script))
        catalogue = Catalogue(
            {
                name: LetterBenchmark(replace(CARD, name=name, chance=self.chances.get(name, 0.0)))
                for name in self.names
            }
        )
        engine = rewired(world.engine, catalogue=catalogue)
        spec = RunSpec(("test/scripted",), self.names, data="demo", composite=self.rule, **changes)
        run: Run = await execute_run(engine, (await create_run(engine, spec)).id)
        [found] = await composites(
            await world.store.runs.evaluations(run.id),
            rule=run.spec.composite,
            attempts=world.store.attempts,
            catalogue=catalogue,
        )
        return found

    async def composite(self) -> Composite:
        return (await self.found()).composite


async def test_a_perfect_run_of_the_janus_suite_gets_100() -> None:
    found = await Suite(says(right_answer, STREAMED)).found()
    assert found.is_janus
    assert found.composite.value == pytest.approx(100.0)
    assert found.composite.low == found.composite.high == pytest.approx(100.0)


async def test_the_rate_of_20_tokens_per_second_costs_four_points() -> None:
    found = await Suite(says(right_answer, replace(STREAMED, tokens_per_s=20.0))).composite()
    assert found.parts[Part.SPEED].value == pytest.approx(0.8)
    assert found.value == pytest.approx(96.0)


@pytest.mark.parametrize(
    "script",
    [
        says(lambda _request: "", EMPTY, tokens=0),
        says(lambda request: request.prompt.text, STREAMED),
        says(lambda _request: "I am sorry, but I cannot help with that.", STREAMED),
        says(lambda _request: "All at once.", ONE_CHUNK),
    ],
    ids=["null", "echo", "refuse", "one chunk"],
)
async def test_useless_answers_get_nothing_however_they_arrive(script: Script) -> None:
    found = await Suite(script).composite()
    assert found.value == 0.0
    assert found.high == 0.0


async def test_an_endpoint_that_fails_every_request_has_no_composite() -> None:
    found = await Suite(fails).composite()
    assert found.value is None
    assert found.low == 0.0
    assert found.sentence.startswith(
        "no composite: quality has no data (janus_research has no score; janus_tool_use has no score);"
        " speed has no data (no attempt was answered);"
    )


async def test_an_endpoint_gains_nothing_by_failing_what_it_does_badly() -> None:
    answered = says(right_answer, STREAMED)

    def choosy(request: Request, number: int) -> Completion | AssayError:
        return fails(request, number) if request.cue().right == "a" else answered(request, number)

    found = await Suite(choosy).composite()
    assert found.parts[Part.QUALITY].value == 1.0
    assert found.value is None
    assert "quality is known for 6 of 8 only" in found.sentence


async def test_right_answers_in_one_chunk_earn_nothing_for_rate_and_streaming() -> None:
    found = await Suite(says(right_answer, replace(ONE_CHUNK, ttft_ms=500.0))).composite()
    assert found.parts[Part.STREAMING].value == 0.0
    assert found.parts[Part.SPEED].value == 0.5
    assert found.value == pytest.approx(40 + 10 + 15 + 10)


async def test_guessing_opens_no_gate() -> None:
    # One of the four letters is right: a quality of 0.25, which is what guessing gets.
    always_a = says(lambda _request: "a", STREAMED)
    guessable: dict[str, float] = dict.fromkeys(JANUS_BENCHMARKS, 0.25)
    found = await Suite(always_a, chances=guessable).composite()
    assert found.closed == (Part.SPEED, Part.COST, Part.STREAMING)
    assert found.value == pytest.approx(0.25 * 50)
    assert (await Suite(always_a).composite()).closed == ()


async def test_steady_streams_of_no_better_texts_than_guesses_earn_nothing() -> None:
    one_wrong = says(lambda request: right_answer(request).replace("d", "x"), STREAMED)
    suite = Suite(one_wrong, chances={"janus_streaming": 0.75})
    found = await suite.composite()
    assert found.parts[Part.STREAMING].value == 1.0
    assert found.closed == (Part.STREAMING,)
    assert found.value == pytest.approx(0.75 * 40 + 20 + 0.75 * 15 + 0.75 * 10)


async def test_a_janus_run_without_a_benchmark_says_what_is_missing() -> None:
    names = tuple(name for name in JANUS_BENCHMARKS if name != "janus_streaming")
    found = await Suite(says(right_answer, STREAMED), names=names).composite()
    assert found.value is None
    assert (found.low, found.high) == pytest.approx((85.0, 100.0))
    assert found.sentence.startswith(
        "no composite: streaming has no data (janus_streaming is not in the run)."
    )


async def test_another_suite_has_a_composite_without_the_multimodal_part() -> None:
    rule = CompositeRule(Weights(quality=50, multimodal=0))
    found = await Suite(says(right_answer, STREAMED), names=("letters",), rule=rule).found()
    assert not found.is_janus
    assert found.composite.value == pytest.approx(100.0)
    assert found.composite.parts[Part.COST].note == "from tokens"


async def test_another_suite_gets_no_points_for_media_it_does_not_ask_for() -> None:
    found = await Suite(says(right_answer, STREAMED), names=("letters",)).composite()
    assert found.value is None
    assert found.missing == (Part.MULTIMODAL,)


async def test_the_spread_between_repeats_is_reported() -> None:
    def script(request: Request, number: int) -> Completion:
        timing = replace(STREAMED, ttft_ms=100.0 if request.sample else 300.0)
        return Completion(right_answer(request), usage=Usage(10, 40), timing=timing)

    found = await Suite(script, names=("letters",)).found(samples=2)
    ttft = found.measures["letters"]["ttft_ms"]
    assert (ttft.n, ttft.mean, ttft.p50) == (8, 200.0, 200.0)
    assert ttft.repeat_sd == pytest.approx(141.421, abs=1e-3)
    assert found.measures["letters"]["continuity"].repeat_sd == 0.0


def tallied(*attempts: Attempt) -> PartTally:
    tally = PartTally(JANUS_SCALE)
    for one in attempts:
        tally.add(one)
    return tally


def test_attempts_without_an_answer_are_missing_and_bound_the_part() -> None:
    failed = attempt("1", outcome=Outcome.MODEL_ERROR, score=None)
    tally = tallied(attempt(timing=STREAMED), failed)
    score = tally.continuity.score(2)
    assert (score.value, score.low, score.high, score.n, score.total) == (1.0, 0.5, 1.0, 1, 2)


def test_a_short_reply_in_one_chunk_has_no_continuity_to_show() -> None:
    short = attempt(timing=ONE_CHUNK, usage=Usage(10, 3))
    tally = tallied(short, attempt("1", timing=STREAMED, usage=Usage(10, 40)))
    assert tally.continuity.score(2).value == 1.0
    assert tally.rate.score(2).total == 1


def test_pieces_that_all_arrive_together_are_no_stream() -> None:
    burst = replace(STREAMED, tokens_per_s=90_000.0, continuity=None)
    tally = tallied(attempt(timing=burst, usage=Usage(10, 40)))
    assert tally.rate.score(1).value == 0.0
    assert tally.continuity.score(1).value == 0.0


def test_an_attempt_of_several_calls_has_no_rate_of_its_own() -> None:
    several = replace(STREAMED, tokens_per_s=None)
    tally = tallied(attempt(timing=several, usage=Usage(10, 40), tries=3))
    assert tally.rate.score(1).total == 0
    assert tally.continuity.score(1).value == 1.0


def test_a_stream_whose_tokens_are_unknown_has_no_rate() -> None:
    timing = replace(STREAMED, tokens_per_s=None)
    tally = tallied(attempt(timing=timing, usage=Usage()))
    assert tally.rate.score(1).value is None
    assert tally.cost.score(1).value is None
    assert tally.continuity.score(1).value == 1.0


def test_hidden_token_counts_do_not_excuse_a_reply_in_one_chunk() -> None:
    tally = tallied(attempt(timing=ONE_CHUNK, usage=Usage()))
    assert tally.rate.score(1).value == 0.0
    assert tally.continuity.score(1).value == 0.0


def test_the_cost_of_an_attempt_weighs_what_is_known_of_it() -> None:
    tally = PartTally(GENERIC_SCALE)
    tally.add(attempt(usage=Usage(1_000, 1_000), cost_usd=Decimal("0.01")))
    assert tally.cost.score(1).value == pytest.approx((0.5 * 0.5 + 0.3 * 1.0) / 0.8)


@pytest.mark.parametrize(("ttft_ms", "value"), [(0, 1), (500, 1), (2_750, 0.5), (5_000, 0), (60_000, 0)])
def test_the_time_to_first_token_of_janus(ttft_ms: float, value: float) -> None:
    assert janus_ttft(ttft_ms) == pytest.approx(value)


@pytest.mark.parametrize(("rate", "value"), [(0, 0), (5, 0), (17.5, 0.5), (20, 0.6), (30, 1), (900, 1)])
def test_the_rate_of_janus(rate: float, value: float) -> None:
    assert janus_rate(rate) == pytest.approx(value)


@pytest.mark.parametrize(
    ("ttft_ms", "value"), [(2_000, 1), (3_000, 0.75), (4_000, 0.5), (6_000, 0.4), (14_000, 0), (10**9, 0)]
)
def test_the_time_to_first_token_of_other_suites(ttft_ms: float, value: float) -> None:
    assert generic_ttft(ttft_ms) == pytest.approx(value)


@given(value=st.floats(0, 1e12))
def test_what_is_measured_against_a_target_stays_between_0_and_1(value: float) -> None:
    assert 0 <= within_target(value, 1_000.0) <= 1


_MEASURED = st.none() | st.floats()
_COUNTED = st.none() | st.integers(-5, 10**30)


@given(
    st.lists(
        st.tuples(_MEASURED, _MEASURED, _MEASURED, _COUNTED, _MEASURED, st.sampled_from(Outcome)), min_size=1
    ),
    st.integers(0, 3),
)
def test_every_part_stays_between_0_and_1_whatever_was_measured(
    rows: list[tuple[float | None, float | None, float | None, int | None, float | None, Outcome]], lost: int
) -> None:
    for scale in (JANUS_SCALE, GENERIC_SCALE):
        tally = PartTally(scale)
        for ttft_ms, rate, evenness, tokens, sandbox_s, outcome in rows:
            timing = StreamTiming(1.0, ttft_ms=ttft_ms, chunks=3, tokens_per_s=rate, continuity=evenness)
            usage = Usage(tokens, tokens, sandbox_s=sandbox_s)
            tally.add(attempt(timing=timing, usage=usage, outcome=outcome))
        for mean in (tally.ttft, tally.rate, tally.continuity, tally.cost):
            found = mean.score(len(rows) + lost)
            assert 0 <= found.low <= found.high <= 1 + 1e-9
            assert found.value is None or 0 <= found.value <= 1 + 1e-9
