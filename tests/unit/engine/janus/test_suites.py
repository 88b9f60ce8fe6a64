import math

import pytest

from assay.domain.errors import DataMissingError, UnknownNameError
from assay.engine.janus.suites import INTELLIGENCE, SUITES, benchmarks_of, sampled, suite_named
from assay.engine.results.composite import JANUS_BENCHMARKS

IDS = [f"item-{number:03}" for number in range(57)]


def test_the_suite_is_the_five_benchmarks() -> None:
    assert benchmarks_of(suite_named(INTELLIGENCE), None) == JANUS_BENCHMARKS
    assert benchmarks_of(suite_named(INTELLIGENCE), "janus_cost") == ("janus_cost",)


@pytest.mark.parametrize("name", ["public/train", "public/dev", "private/test"])
def test_a_suite_without_items_is_an_error_and_no_other_suite(name: str) -> None:
    with pytest.raises(DataMissingError, match=f"has no items of suite '{name}': run `--suite janus/int"):
        benchmarks_of(suite_named(name), None)


def test_names_that_nobody_knows_are_errors() -> None:
    with pytest.raises(UnknownNameError, match="there are public/train"):
        suite_named("public/test")
    with pytest.raises(UnknownNameError, match="there are janus_research"):
        benchmarks_of(suite_named(INTELLIGENCE), "mmlu_pro")


def test_every_suite_of_the_original_is_listed() -> None:
    assert [one.name for one in SUITES] == ["public/train", "public/dev", "private/test", INTELLIGENCE]


@pytest.mark.parametrize(("percent", "size"), [(1, 1), (5, 3), (10, 6), (50, 29), (99, 57), (100, 57)])
def test_a_draw_is_rounded_up(percent: int, size: int) -> None:
    found = sampled(IDS, seed="42", benchmark="janus_cost", percent=percent)
    assert len(found) == len(set(found)) == size == math.ceil(57 * percent / 100)
    assert found == sorted(found)


def test_a_draw_is_that_of_the_original() -> None:
    numbers = [int(item_id[-3:]) for item_id in sampled(IDS, seed="42", benchmark="janus_cost", percent=10)]
    assert numbers == [1, 16, 23, 28, 31, 54]


def test_draws_differ_by_seed_and_benchmark() -> None:
    draws = {
        tuple(sampled(IDS, seed=seed, benchmark=benchmark, percent=20))
        for seed in ("42", "43")
        for benchmark in ("janus_cost", "janus_research")
    }
    assert len(draws) == 4
