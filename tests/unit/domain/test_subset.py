import hashlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.subset import draw_subset, execution_order, shuffled

TEN_PERCENT = ["58", "21", "79", "82", "18", "61", "14", "94", "87", "69"]
HUNDRED = [str(index) for index in range(100)]
words = st.text("abz019:_é", max_size=6)
item_lists = st.lists(words, max_size=60, unique=True)


def standard_shuffle(item_ids: list[str], seed_string: str) -> list[str]:
    order = list(item_ids)
    seed = int(hashlib.sha256(seed_string.encode()).hexdigest()[:16], 16)
    random.Random(seed).shuffle(order)  # noqa: S311  a reproducible draw
    return order


def test_published_vectors() -> None:
    assert shuffled(HUNDRED, "run123_benchmark1")[:10] == TEN_PERCENT
    assert draw_subset(HUNDRED, seed="demo", benchmark="mmlu_pro", percent=5) == [
        "20",
        "90",
        "13",
        "71",
        "65",
    ]


@settings(max_examples=50, deadline=None)
@given(item_lists, words)
def test_order_is_that_of_the_standard_shuffle(item_ids: list[str], seed_string: str) -> None:
    assert shuffled(item_ids, seed_string) == standard_shuffle(item_ids, seed_string)


def test_order_of_a_large_set_is_that_of_the_standard_shuffle() -> None:
    item_ids = [str(index) for index in range(12_032)]
    assert shuffled(item_ids, "a:b") == standard_shuffle(item_ids, "a:b")


@settings(max_examples=50, deadline=None)
@given(item_lists, words, st.integers(1, 99), st.integers(1, 99))
def test_smaller_percentages_are_prefixes_of_larger_ones(
    item_ids: list[str], seed: str, one: int, other: int
) -> None:
    small = draw_subset(item_ids, seed=seed, benchmark="b", percent=min(one, other))
    large = draw_subset(item_ids, seed=seed, benchmark="b", percent=max(one, other))
    if len(large) < len(item_ids):
        assert large[: len(small)] == small
    assert set(small) <= set(large)


@settings(max_examples=50, deadline=None)
@given(item_lists, words, st.integers(1, 80))
def test_a_count_draws_that_many_items_of_the_set_once(item_ids: list[str], seed: str, count: int) -> None:
    drawn = draw_subset(item_ids, seed=seed, benchmark="b", count=count)
    assert len(drawn) == len(set(drawn)) == min(count, len(item_ids))
    assert set(drawn) <= set(item_ids)
    assert drawn == draw_subset(item_ids, seed=seed, benchmark="b", count=count)


@pytest.mark.parametrize(("total", "percent", "size"), [(3, 1, 1), (198, 10, 19), (30, 99, 29), (7, 50, 3)])
def test_percentages_round_down_but_never_to_nothing(total: int, percent: int, size: int) -> None:
    item_ids = [str(index) for index in range(total)]
    assert len(draw_subset(item_ids, seed="s", benchmark="b", percent=percent)) == size


def test_the_whole_set_keeps_the_order_of_the_data() -> None:
    assert draw_subset(HUNDRED, seed="s", benchmark="b") == HUNDRED
    assert draw_subset(HUNDRED, seed="s", benchmark="b", percent=100) == HUNDRED
    assert draw_subset(HUNDRED, seed="s", benchmark="b", count=100) == HUNDRED
    assert draw_subset(HUNDRED, seed="s", benchmark="b", count=99) != HUNDRED[:99]


def test_benchmarks_and_seeds_draw_different_items() -> None:
    drawn = {
        tuple(draw_subset(HUNDRED, seed=s, benchmark=b, count=10)) for s in ("a", "b") for b in ("x", "y")
    }
    assert len(drawn) == 4


def test_an_empty_set_has_an_empty_subset() -> None:
    assert draw_subset([], seed="s", benchmark="b", percent=10) == []


@pytest.mark.parametrize(("percent", "count"), [(0, None), (101, None), (-5, None), (None, 0), (10, 10)])
def test_senseless_sizes_are_refused(percent: int | None, count: int | None) -> None:
    with pytest.raises(InvalidValueError, match="subset"):
        draw_subset(HUNDRED, seed="s", benchmark="b", percent=percent, count=count)


def test_a_whole_set_is_asked_in_the_order_that_subsets_are_drawn_in() -> None:
    order = execution_order(100, benchmark_size=100, seed="s", benchmark="b:variant")
    assert [HUNDRED[index] for index in order][:40] == draw_subset(
        HUNDRED, seed="s", benchmark="b", percent=40
    )


def test_a_subset_is_asked_in_the_order_of_its_draw() -> None:
    assert list(execution_order(40, benchmark_size=100, seed="s", benchmark="b")) == list(range(40))
