import random
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import (
    BarSequence,
    BarVerdict,
    BettingTest,
    EquivalenceRule,
    EquivalenceVerdict,
    PairedSequence,
    Population,
    UnitScores,
    paired_limits,
    paired_value,
    score_limits_at,
    single_value,
)
from assay.domain.stopping import Until
from benchmarks import sooner

RULE = EquivalenceRule(margin=0.05)
WIN, LOSS, TIE = (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)
Pair = tuple[float, float]


def benchmark(wins: int, losses: int, ties: int, seed: int = 0) -> list[Pair]:
    pairs = [WIN] * wins + [LOSS] * losses + [TIE] * ties
    random.Random(seed).shuffle(pairs)  # noqa: S311  a reproducible draw, not a secret
    return pairs


def raced(pairs: Sequence[Pair], *, rule: EquivalenceRule = RULE, comparisons: int = 1) -> PairedSequence:
    sequence = PairedSequence(Population.of([1] * len(pairs)), rule, comparisons=comparisons)
    for ours, theirs in pairs:
        sequence.add(UnitScores((ours,)), UnitScores((theirs,)))
    return sequence


@pytest.mark.parametrize(
    ("wins", "losses", "verdict"), [(500, 200, "better"), (200, 500, "worse"), (2, 2, "equivalent")]
)
def test_a_clear_difference_is_decided_early(wins: int, losses: int, verdict: str) -> None:
    found = raced(benchmark(wins, losses, 2000 - wins - losses))
    assert found.verdict == verdict
    assert found.units < 400


def test_after_all_items_what_is_known_is_decided() -> None:
    assert raced(benchmark(31, 30, 139), rule=EquivalenceRule(margin=0.001)).verdict == "better"
    assert raced(benchmark(30, 31, 139), rule=EquivalenceRule(margin=0.001)).verdict == "worse"
    assert raced(benchmark(30, 30, 140), rule=EquivalenceRule(margin=0.001)).verdict == "equivalent"


def test_a_verdict_stays_with_the_number_of_units_it_took() -> None:
    pairs = benchmark(300, 50, 650)
    sequence = raced(pairs)
    decided = sequence.units
    assert sequence.verdict is EquivalenceVerdict.BETTER
    assert raced([*pairs[:decided], *[LOSS] * (1000 - decided)]).units == decided
    assert raced(pairs).units == decided


def test_several_pairs_take_more_evidence() -> None:
    pairs = benchmark(300, 150, 550)
    assert raced(pairs, comparisons=10).units > raced(pairs).units


def test_missing_scores_are_taken_at_their_worst_for_each_claim() -> None:
    population = Population.of([2] * 100)
    assert paired_value(UnitScores((1.0,), 2), UnitScores((0.0, 0.0), 2), population) == (0.75, 1.0)
    assert paired_value(UnitScores((), 2), UnitScores((), 2), population) == (0.0, 1.0)
    assert single_value(UnitScores((0.5,), 2), population) == (0.25, 0.75)
    for verdict, filled in (("better", WIN), ("worse", LOSS)):
        known = raced([filled] * 100)
        assert known.verdict == verdict
        sequence = PairedSequence(Population.of([1] * 100), RULE)
        for _ in range(100):
            sequence.add(UnitScores(filled[:1]), UnitScores(()))
        assert sequence.verdict is EquivalenceVerdict.INCONCLUSIVE


PAIRS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0, None]), st.sampled_from([0.0, 0.5, 1.0, None])),
    min_size=1,
    max_size=30,
)


def unit(score: float | None) -> UnitScores:
    return UnitScores(() if score is None else (score,))


@settings(deadline=None)
@given(PAIRS, st.integers(0, 20), st.data())
def test_a_missing_score_never_narrows_the_limits(
    pairs: list[tuple[float | None, float | None]], unasked: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(pairs) - 1))
    fewer = [*pairs[:place], (None, pairs[place][1]), *pairs[place + 1 :]]
    population = Population.of([1] * (len(pairs) + unasked))
    before, after = (
        paired_limits(
            [paired_value(unit(ours), unit(theirs), population) for ours, theirs in one],
            population,
            alpha=0.05,
            at=[len(pairs)],
        )[0]
        for one in (pairs, fewer)
    )
    assert after.low <= before.low + 1e-4
    assert before.high <= after.high + 1e-4


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 40), st.integers(0, 99))
def test_verdicts_follow_from_the_confidence_sequence(wins: int, losses: int, ties: int, seed: int) -> None:
    pairs = benchmark(wins, losses, ties + 1, seed)
    population = Population.of([1] * len(pairs))
    rule = EquivalenceRule(margin=0.1, alpha=0.2)
    sequence = raced(pairs, rule=rule)
    values = [paired_value(UnitScores((ours,)), UnitScores((theirs,)), population) for ours, theirs in pairs]
    before, at = paired_limits(values, population, alpha=0.2, at=[sequence.units - 1, sequence.units])
    truth = (wins - losses) / len(pairs)
    assert before.low <= at.low <= at.high <= before.high
    precision = 1e-4
    match sequence.verdict:
        case EquivalenceVerdict.BETTER:
            assert before.low <= precision
            assert at.low >= -precision
        case EquivalenceVerdict.WORSE:
            assert before.high >= -precision
            assert at.high <= precision
        case EquivalenceVerdict.EQUIVALENT:
            assert max(-before.low, before.high) >= 0.1 - precision
            assert max(-at.low, at.high) <= 0.1 + precision
        case EquivalenceVerdict.INCONCLUSIVE:
            assert abs(truth) == pytest.approx(0.1)


def test_the_limits_end_at_the_true_mean_and_hold_it_all_the_way() -> None:
    pairs = benchmark(120, 80, 200)
    population = Population.of([1] * 400)
    values = [paired_value(UnitScores((ours,)), UnitScores((theirs,)), population) for ours, theirs in pairs]
    found = paired_limits(values, population, alpha=0.05, at=range(0, 401, 40))
    assert found[0] == pytest.approx((-1, 1), abs=1e-3)
    assert all(one.low <= 0.1 <= one.high for one in found)
    assert found[-1] == pytest.approx((0.1, 0.1), abs=1e-3)


def test_passages_of_different_sizes_count_by_their_items() -> None:
    sizes = [1, 4] * 100
    population = Population.of(sizes)
    # The large ones are all won and the small ones all lost: 4 - 1 of 5 items.
    scores = [
        (UnitScores((1.0,) * 4, 4), UnitScores((0.0,) * 4, 4))
        if size == 4
        else (UnitScores((0.0,)), UnitScores((1.0,)))
        for size in sizes
    ]
    values = [paired_value(ours, theirs, population) for ours, theirs in scores]
    assert paired_limits(values, population, alpha=0.05, at=[200])[0] == pytest.approx((0.6, 0.6), abs=1e-3)
    ours = [single_value(one, population) for one, _ in scores]
    assert score_limits_at(ours, population, alpha=0.05, at=[200])[0] == pytest.approx((0.8, 0.8), abs=1e-3)


@pytest.mark.parametrize(("right", "verdict"), [(950, "above"), (650, "below"), (800, "inconclusive")])
def test_a_score_against_a_bar(right: int, verdict: str) -> None:
    scores = [1.0] * right + [0.0] * (1000 - right)
    random.Random(1).shuffle(scores)  # noqa: S311
    sequence = BarSequence(Population.of([1] * 1000), 0.8)
    for score in scores:
        sequence.add(UnitScores((score,)))
    assert sequence.verdict == verdict
    assert (sequence.units < 200) == (sequence.verdict is not BarVerdict.INCONCLUSIVE)


def test_equal_models_are_rarely_told_apart_however_often_one_looks() -> None:
    # Two passages in three agree; the items of one passage go the same way.
    sizes = [1, 2, 3, 4] * 50
    population = Population.of(sizes)
    found: Counter[EquivalenceVerdict] = Counter()
    rule = EquivalenceRule(margin=0.01, alpha=0.1)
    source = random.Random(3)  # noqa: S311
    kinds = [(size, sign) for size in (1, 2, 3, 4) for sign in (1, -1) for _ in range(25)]
    for _ in range(200):
        source.shuffle(kinds)
        sequence = PairedSequence(population, rule)
        for size, sign in kinds[:199]:
            won, lost = UnitScores((1.0,) * size, size), UnitScores((0.0,) * size, size)
            sequence.add(*((won, lost) if sign > 0 else (lost, won)))
        found[sequence.verdict] += 1
    false = found[EquivalenceVerdict.BETTER] + found[EquivalenceVerdict.WORSE]
    assert 1 <= false <= 20


def test_large_differences_take_a_small_share_of_a_large_benchmark() -> None:
    for points, most in ((10, 0.15), (30, 0.02)):
        lead, both = 12_032 * points // 100, 900
        counts = [
            raced(benchmark(both + lead, both, 12_032 - lead - 2 * both, seed)).units for seed in range(8)
        ]
        assert 0 < sum(counts) / len(counts) <= most * 12_032


@pytest.mark.parametrize("kind", sooner.KINDS)
def test_the_simulation_decides_as_the_sequence_does(kind: str) -> None:
    simulated = sooner.Benchmark.of(kind, 400, 0.1)
    low, high = simulated.orders(10, np.random.default_rng(1))
    found = sooner.simulate(simulated, low, high)
    counts = [direction_after(low[:, column], high[:, column]) for column in range(10)]
    assert found.direction * len(low) == pytest.approx(sum(counts) / 10)


def direction_after(low: sooner.Draws, high: sooner.Draws) -> int:
    tests = BettingTest(0.5, len(low)), BettingTest(0.5, len(low))
    for place, (least, most) in enumerate(zip(low, high, strict=True)):
        tests[0].add(float(least))
        tests[1].add(1 - float(most))
        if max(test.peak for test in tests) >= 40:
            return place + 1
    return len(low)


@pytest.mark.parametrize("kind", sooner.KINDS)
def test_false_claims_are_as_rare_as_promised_at_any_stopping_time(kind: str) -> None:
    for difference in (0.0, 0.01):
        simulated = sooner.Benchmark.of(kind, 400, difference)
        low, high = simulated.orders(400, np.random.default_rng(2))
        found = sooner.simulate(simulated, low, high)
        assert found.false <= 0.05
        assert found.decided <= 1


def test_bad_input_is_refused() -> None:
    for sizes in ([], [1, 0]):
        with pytest.raises(InvalidValueError, match="at least one"):
            Population.of(sizes)
    population = Population.of([1, 1])
    for unit_scores in (UnitScores((1.0, 1.0), 2), UnitScores((1.0, 1.0))):
        with pytest.raises(InvalidValueError, match="as the largest unit has"):
            single_value(unit_scores, population)
    for scores in ((2.0,), (-1.0,), (float("nan"),)):
        with pytest.raises(InvalidValueError, match="outside 0 to 1"):
            single_value(UnitScores(scores), population)
    for bar, alpha in ((1.5, 0.05), (0.5, 0.0)):
        with pytest.raises(InvalidValueError, match="bar"):
            BarSequence(population, bar, alpha=alpha)


@pytest.mark.parametrize(
    ("until", "verdict"), [("decided", "equivalent"), ("better", "better"), ("equivalent", "equivalent")]
)
def test_the_question_says_which_verdict_ends_it(until: Until, verdict: str) -> None:
    """Two points apart, with a margin of five, both are true: equivalence is certain first."""
    pairs = benchmark(80, 40, 1880)
    sequence = PairedSequence(Population.of([1] * len(pairs)), RULE, until=until)
    for ours, theirs in pairs:
        sequence.add(UnitScores((ours,)), UnitScores((theirs,)))
    assert sequence.verdict == verdict


@pytest.mark.parametrize("until", ["better", "equivalent"])
def test_a_lead_beyond_the_margin_settles_either_question(until: Until) -> None:
    pairs = benchmark(500, 200, 1300)
    sequence = PairedSequence(Population.of([1] * len(pairs)), RULE, until=until)
    for ours, theirs in pairs:
        sequence.add(UnitScores((ours,)), UnitScores((theirs,)))
    assert sequence.verdict == "better"
    assert 0 < sequence.units < 1500
