"""What a run will use: the models apart from the judges."""

from dataclasses import replace
from decimal import Decimal

import pytest

from assay.domain.calls.pricing import Price
from assay.domain.judging import Judging
from assay.domain.run import RunSpec
from assay.engine.planning.estimate import Estimate, Range, estimates
from tests.builders import LetterBenchmark, World
from tests.unit.engine.reviews.test_regrade import JUDGE, NEEDS, JudgedLetters

CHEAP = Price(Decimal(1), Decimal(2), "a list")
DEAR = Price(Decimal(10), Decimal(20), "a list")


async def estimated(benchmark: LetterBenchmark, judging: Judging | None) -> Estimate:
    spec = RunSpec(("test/scripted",), ("letters",), data="demo", judge=judging, samples=2)
    planned = await World(benchmark=benchmark).engine.planner.plan(spec)
    [found] = estimates(planned, samples=2, prices={"test/scripted": CHEAP}, judging=judging)
    return found


async def test_judges_are_counted_apart_and_together() -> None:
    panel = Judging(("a/one", "b/two"), votes=3, prices={"a/one": CHEAP, "b/two": DEAR})
    found = await estimated(JudgedLetters(card=NEEDS), panel)
    assert (found.attempts, found.output_tokens) == (8, Range(8, 32))
    judging = found.judging
    assert judging is not None
    # Eight answers of 1 to 4 tokens in a prompt of 10, three votes each, by two judges who write 1 to 2.
    assert judging.calls == 48
    assert judging.input_tokens == Range(2 * 3 * (8 + 80), 2 * 3 * (32 + 80))
    assert judging.output_tokens == Range(48, 96)
    assert judging.cost_usd is not None
    low = (264 * 1 + 24 * 2 + 264 * 10 + 24 * 20) / 1_000_000
    assert float(judging.cost_usd[0]) == pytest.approx(low)


async def test_one_unknown_price_makes_the_cost_unknown() -> None:
    found = await estimated(JudgedLetters(card=NEEDS), Judging(("a/one", "b/two"), prices={"a/one": CHEAP}))
    assert found.cost_usd is not None
    assert found.judging is not None
    assert found.judging.cost_usd is None


async def test_without_need_of_a_judge_nothing_is_counted() -> None:
    assert (await estimated(LetterBenchmark(), replace(JUDGE, votes=9))).judging is None
    assert (await estimated(LetterBenchmark(), None)).judging is None


async def test_each_call_of_an_attempt_sends_the_conversation_again() -> None:
    once = await estimated(LetterBenchmark(), None)
    card = replace(LetterBenchmark().card, typical_calls=(2, 5))
    found = await estimated(LetterBenchmark(card=card), None)
    assert found.output_tokens == once.output_tokens == Range(8, 32)
    # Half of what is written by the model, and as much by tools, in each call but for one.
    assert found.input_tokens.low == pytest.approx(2 * once.input_tokens.low + 1 * 8, abs=1)
    assert found.input_tokens.high == pytest.approx(5 * once.input_tokens.high + 4 * 32, abs=4)
