import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import RepeatNoise, repeat_noise


def noise(values: list[float], item_ids: list[str]) -> RepeatNoise:
    result = repeat_noise(values, item_ids)
    assert result is not None
    return result


def test_by_hand() -> None:
    # Items a: 1 1, b: 0 1, c: 0 0. Variances 0, 1/2, 0; means 1, 1/2, 0 with variance 1/4, less 1/6 / 2.
    result = noise([1.0, 0, 0, 1, 1, 0], list("abcabc"))
    assert result.flip_rate == 1 / 3
    assert abs(result.within_variance - 1 / 6) < 1e-12
    assert abs(result.between_variance - (1 / 4 - 1 / 12)) < 1e-12
    assert abs(result.noise_floor - 1.959963984540054 * (2 * (1 / 6) / 3) ** 0.5) < 1e-12
    assert result.items == 3


def test_items_asked_once_do_not_count() -> None:
    assert repeat_noise([1.0, 0.0], ["a", "b"]) is None
    assert repeat_noise([], []) is None
    assert noise([1.0, 0.0, 1.0], ["a", "a", "b"]).items == 1


def test_a_deterministic_model_has_no_noise() -> None:
    result = noise([1.0, 0.0, 0.5] * 3, ["a", "b", "c"] * 3)
    assert (result.flip_rate, result.within_variance, result.noise_floor) == (0, 0, 0)
    assert abs(result.between_variance - 0.25) < 1e-12


def test_the_split_recovers_what_was_simulated() -> None:
    source = random.Random(2)  # noqa: S311  a reproducible draw
    chances = [source.choice([0.3, 0.9]) for _ in range(600)]
    values = [float(source.random() < chance) for _ in range(4) for chance in chances]
    result = noise(values, [str(index) for index in range(600)] * 4)
    assert abs(result.within_variance - (0.3 * 0.7 + 0.9 * 0.1) / 2) < 0.02
    assert abs(result.between_variance - 0.09) < 0.02


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from("abcdef")), max_size=40))
def test_shares_and_variances_stay_in_range(rows: list[tuple[float, str]]) -> None:
    result = repeat_noise([row[0] for row in rows], [row[1] for row in rows])
    if result is not None:
        assert 0 <= result.flip_rate <= 1
        assert 0 <= result.within_variance <= 0.5
        assert 0 <= result.between_variance <= 0.5
        assert (result.within_variance == 0) == (result.flip_rate == 0)


def test_every_value_needs_its_item() -> None:
    with pytest.raises(InvalidValueError, match="1 values but 2 item ids"):
        repeat_noise([1.0], ["a", "b"])
