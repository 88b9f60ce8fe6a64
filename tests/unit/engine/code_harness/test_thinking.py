"""The benchmarks of a request with thinking levels."""

import pytest

from assay.domain.errors import InvalidValueError
from assay.engine.code_harness.options import Options
from assay.engine.code_harness.thinking import Thinking, benchmark_names


@pytest.mark.parametrize(
    ("thinking", "levels"),
    [
        (Thinking(), ["base"]),
        (Thinking("high"), ["high"]),
        (Thinking(include_variants=True), ["base", "medium"]),
        (Thinking("high", include_variants=True), ["base", "high"]),
        (Thinking(sweep=True), ["base", "low", "medium", "high"]),
        (Thinking("budget_tokens=64", sweep=True), ["base", "low", "medium", "high", "budget_tokens=64"]),
        (Thinking("low", include_variants=True, sweep=True), ["base", "low", "medium", "high"]),
    ],
)
def test_levels_are_benchmarks_beside_the_base(thinking: Thinking, levels: list[str]) -> None:
    names = benchmark_names(Options(include_tests=True, provider="x"), thinking)
    assert [name.replace("+provider=x", "").partition("thinking=")[2] or "base" for name in names] == levels
    assert all(name.startswith("code_catalogue:include-tests+") for name in names)


def test_without_options_the_name_is_that_of_the_benchmark() -> None:
    assert benchmark_names(Options(), Thinking()) == ("code_catalogue",)


def test_a_budget_in_seconds_is_refused_with_what_to_give_instead() -> None:
    with pytest.raises(InvalidValueError, match=r"budget in seconds.*budget_tokens=N"):
        benchmark_names(Options(), Thinking("budget_seconds=30"))


@pytest.mark.parametrize(
    "level", ["very high", "high+provider=x", "budget_tokens=0", "budget_tokens=many", ""]
)
def test_what_is_no_level_is_refused(level: str) -> None:
    with pytest.raises(InvalidValueError, match="cannot be used"):
        benchmark_names(Options(), Thinking(level))


def test_what_is_no_name_of_a_provider_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="'deep infra'"):
        benchmark_names(Options(provider="deep infra"), Thinking())
