import json
import math
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import majority_vote, pass_at_k, pass_hat_k


@st.composite
def sampled(draw: st.DrawFn, most: int = 40) -> tuple[int, int, int]:
    n = draw(st.integers(1, most))
    return n, draw(st.integers(0, n)), draw(st.integers(1, n))


@pytest.mark.parametrize(("k", "expected"), [(1, 0.25), (2, 0.5), (4, 1.0)])
def test_pass_at_k_vectors(k: int, expected: float) -> None:
    assert pass_at_k(4, 1, k) == expected


@settings(max_examples=50, deadline=None)
@given(sampled(most=7))
def test_both_are_averages_over_all_subsets(case: tuple[int, int, int]) -> None:
    n, c, k = case
    subsets = list(combinations([True] * c + [False] * (n - c), k))
    assert abs(pass_at_k(n, c, k) - sum(any(s) for s in subsets) / len(subsets)) < 1e-12
    assert abs(pass_hat_k(n, c, k) - sum(all(s) for s in subsets) / len(subsets)) < 1e-12


@settings(max_examples=50, deadline=None)
@given(sampled())
def test_all_right_is_no_likelier_than_any_right(case: tuple[int, int, int]) -> None:
    n, c, k = case
    assert 0 <= pass_hat_k(n, c, k) <= c / n + 1e-12
    assert c / n - 1e-12 <= pass_at_k(n, c, k) <= 1
    assert abs(pass_at_k(n, c, k) - (1 - pass_hat_k(n, n - c, k))) < 1e-12


def test_thousands_of_samples_do_not_overflow() -> None:
    assert abs(pass_at_k(5_000, 10, 100) - (1 - math.prod(1 - 10 / (4_901 + i) for i in range(100)))) < 1e-9


@pytest.mark.official
def test_pass_hat_k_matches_the_official_metric(official: Path) -> None:
    vectors = json.loads((official / "tau2_telecom" / "pass_hat_k_vectors.json").read_text())["vectors"]
    assert vectors
    for vector in vectors:
        ours = pass_hat_k(vector["num_trials"], vector["successes"], vector["k"])
        assert abs(ours - vector["pass_hat_k"]) < 1e-12, vector


@pytest.mark.parametrize(("n", "c", "k"), [(4, 5, 1), (4, -1, 1), (4, 2, 0), (4, 2, 5), (0, 0, 1)])
def test_impossible_counts_are_refused(n: int, c: int, k: int) -> None:
    for metric in (pass_at_k, pass_hat_k):
        with pytest.raises(InvalidValueError, match="samples at k"):
            metric(n, c, k)


def test_majority_vote() -> None:
    assert majority_vote(["B", "A", "A"]) == "A"
    assert majority_vote(["B", "A", "A", "B"]) == "B"
    assert majority_vote([None, None, "C"]) == "C"
    assert majority_vote([None]) is None
    assert majority_vote([]) is None
