import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.domain.composite import (
    GATED,
    Composite,
    CompositeRule,
    Part,
    PartScore,
    Weights,
    composite,
    mean_of,
    no_data,
)
from assay.domain.errors import InvalidValueError


def known(value: float) -> PartScore:
    return PartScore(value, value, value, 10, 10)


def of(
    rule: CompositeRule | None = None, *, gate: PartScore | None = None, **parts: float | None
) -> Composite:
    """Parts that are not named are whole; None means no data."""
    scores = {
        part: no_data() if parts.get(part, 1.0) is None else known(parts.get(part, 1.0) or 0.0)
        for part in Part
    }
    quality = gate or scores[Part.QUALITY]
    return composite(scores, rule=rule or CompositeRule(), gates=dict.fromkeys(GATED, quality))


def test_perfect_answers_with_a_speed_of_four_fifths_get_96() -> None:
    # TTFT full and 20 tokens/s (0.6): a vector of the contract.
    assert of(speed=0.8).value == pytest.approx(96.0)


def test_the_composite_is_the_sum_of_its_points() -> None:
    found = of(quality=0.8, speed=0.5, cost=0.6, streaming=0.8, multimodal=1.0)
    assert found.value == pytest.approx(73.0)
    assert math.fsum(found.points(part) or 0 for part in Part) == pytest.approx(73.0)


def test_nothing_is_worth_nothing() -> None:
    assert of(quality=0, speed=0, cost=0, streaming=0, multimodal=0).value == 0


def test_weights_are_those_of_the_run() -> None:
    rule = CompositeRule(Weights(quality=90, speed=10, cost=0, streaming=0, multimodal=0))
    assert of(rule, quality=0.5, speed=1.0, cost=None, streaming=None, multimodal=None).value == 55.0


@pytest.mark.parametrize(
    "weights",
    [
        {"quality": 41},
        {"quality": -10, "speed": 70},
        {"quality": math.nan},
        {"quality": math.inf},
    ],
)
def test_weights_must_be_shares_that_add_up_to_100(weights: dict[str, float]) -> None:
    with pytest.raises(InvalidValueError, match="weight"):
        Weights(**weights)


def test_weights_may_be_fractions() -> None:
    assert Weights(quality=40.1, speed=19.9).quality == 40.1


@pytest.mark.parametrize("least", [-0.1, 1.1, math.nan])
def test_a_minimum_quality_is_a_share(least: float) -> None:
    with pytest.raises(InvalidValueError, match="minimum quality"):
        CompositeRule(minimum_quality=least)


def test_a_part_without_data_leaves_no_composite_and_bounds_it() -> None:
    found = of(streaming=None)
    assert found.value is None
    assert found.missing == (Part.STREAMING,)
    assert (found.low, found.high) == pytest.approx((85.0, 100.0))
    assert found.sentence == (
        "no composite: streaming has no data. With any values for what is missing it is 85.0 to 100.0 of 100"
    )


@pytest.mark.parametrize(("n", "value"), [(90, 100.0), (89, None)])
def test_a_part_that_is_known_for_few_attempts_leaves_no_composite(n: int, value: float | None) -> None:
    scores = {part: known(1.0) for part in Part}
    scores[Part.MULTIMODAL] = PartScore(1.0, n / 100, 1.0, n, 100)
    found = composite(scores, rule=CompositeRule(), gates={})
    assert found.value == value
    if value is None:
        assert found.sentence.startswith(
            "no composite: multimodal is known for 89 of 100 only. With any values"
        )


def test_a_part_whose_gate_is_not_known_leaves_no_composite() -> None:
    found = of(gate=PartScore(1.0, 0.5, 1.0, 5, 10))
    assert found.missing == (Part.SPEED, Part.COST, Part.STREAMING)
    assert "speed depends on a quality that is not known" in found.sentence


def test_a_part_without_weight_may_have_no_data() -> None:
    rule = CompositeRule(Weights(quality=50, multimodal=0))
    assert of(rule, multimodal=None).value == 100.0


def test_speed_cost_and_streaming_of_bad_answers_count_for_nothing() -> None:
    found = of(quality=0.2, multimodal=0.0)
    assert found.value == pytest.approx(8.0)
    assert found.closed == (Part.SPEED, Part.COST, Part.STREAMING)
    assert found.points(Part.SPEED) == 0.0
    assert found.sentence == (
        "composite 8.0 of 100. Without points for speed, cost, streaming: the quality is below 0.25"
    )


def test_quality_at_the_minimum_is_enough() -> None:
    assert of(quality=0.25).closed == ()


def test_the_minimum_may_be_none() -> None:
    assert of(CompositeRule(minimum_quality=0.0), quality=0.0).value == pytest.approx(60.0)


def test_what_does_not_count_may_have_no_data() -> None:
    assert of(quality=0.0, speed=None, cost=None, streaming=None, multimodal=0.0).value == 0.0


def test_a_run_without_answers_has_no_composite() -> None:
    found = of(quality=None, speed=None, cost=None, streaming=None, multimodal=None)
    assert found.value is None
    assert (found.low, found.high) == (0.0, 100.0)


def test_missing_answers_that_could_open_the_gate_widen_the_bounds() -> None:
    half_known = PartScore(0.2, 0.1, 0.6, 5, 10)
    found = of(gate=half_known, quality=0.2, multimodal=0.0)
    assert found.value == pytest.approx(8.0)
    assert (found.low, found.high) == pytest.approx((8.0, 58.0))


def test_a_mean_of_parts_needs_all_of_them() -> None:
    found = mean_of([known(1.0), no_data()])
    assert found.value is None
    assert (found.low, found.high) == (0.5, 1.0)
    assert mean_of([known(1.0), known(0.0)]).value == 0.5


@given(
    values=st.lists(st.none() | st.floats(0, 1), min_size=5, max_size=5),
    gate=st.floats(0, 1),
    least=st.floats(0, 1),
)
def test_the_composite_lies_between_its_bounds(values: list[float | None], gate: float, least: float) -> None:
    parts = {
        part: no_data() if value is None else known(value) for part, value in zip(Part, values, strict=True)
    }
    found = composite(
        parts, rule=CompositeRule(minimum_quality=least), gates=dict.fromkeys(GATED, known(gate))
    )
    assert -1e-9 <= found.low <= found.high <= 100 + 1e-9
    if found.value is not None:
        assert found.low - 1e-9 <= found.value <= found.high + 1e-9
