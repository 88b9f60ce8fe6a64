import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats.special import beta_cdf, beta_quantile, normal_quantile, student_quantile

shapes = st.floats(0.5, 5_000)
any_shapes = st.floats(0, 5_000, exclude_min=True)


# Reference values from SciPy 1.17 (betainc, beta.ppf, t.ppf).
@pytest.mark.parametrize(
    ("x", "a", "b", "expected"),
    [
        (0.5, 2, 3, 0.6875),
        (0.1, 0.5, 0.5, 0.20483276469913345),
        (0.9, 30, 2, 0.1695646331008649),
        (0.25, 3000, 9000, 0.5014017586737657),
        (0.001, 1, 1000, 0.6323045752290359),
    ],
)
def test_beta_cdf(x: float, a: float, b: float, expected: float) -> None:
    assert abs(beta_cdf(x, a, b) - expected) < 1e-10


@pytest.mark.parametrize(
    ("probability", "a", "b", "expected"),
    [
        (0.025, 1, 30, 0.0008435709266304788),
        (0.975, 15, 16, 0.6567447618392659),
        (0.025, 188, 11, 0.9090826823578491),
        (0.5, 0.5, 0.5, 0.5),
        (0.95, 0.5, 4.5, 0.36248681276449385),
        (0.025, 6000, 6001, 0.4910132749285999),
        (0.975, 11400, 601, 0.953751331083936),
        (1e-6, 3, 7, 0.0022912212217033106),
    ],
)
def test_beta_quantile(probability: float, a: float, b: float, expected: float) -> None:
    assert abs(beta_quantile(probability, a, b) - expected) < 1e-11


@settings(max_examples=50, deadline=None)
@given(st.floats(0.001, 0.999), shapes, shapes)
def test_quantile_inverts_the_cdf(probability: float, a: float, b: float) -> None:
    assert abs(beta_cdf(beta_quantile(probability, a, b), a, b) - probability) < 1e-8


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 1), shapes, shapes)
def test_cdf_is_a_probability_and_mirrors(x: float, a: float, b: float) -> None:
    assert 0 <= beta_cdf(x, a, b) <= 1 + 1e-12
    assert abs(beta_cdf(x, a, b) + beta_cdf(1 - x, b, a) - 1) < 1e-8


@settings(max_examples=50, deadline=None)
@given(st.floats(0, 1), any_shapes, any_shapes)
def test_degenerate_shapes_stay_in_range(probability: float, a: float, b: float) -> None:
    assert 0 <= beta_quantile(probability, a, b) <= 1


def test_beyond_the_range() -> None:
    assert [beta_cdf(-1, 2, 3), beta_cdf(2, 2, 3)] == [0, 1]
    assert [beta_quantile(0, 2, 3), beta_quantile(1, 2, 3)] == [0, 1]


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [(1, 12.706204736174694), (2, 4.302652729749462), (9, 2.262157162798205), (99, 1.9842169515864174)],
)
def test_student_quantile(degrees: int, expected: float) -> None:
    assert abs(student_quantile(0.95, degrees) - expected) < 1e-8


def test_normal_quantile() -> None:
    assert abs(normal_quantile(0.95) - 1.959963984540054) < 1e-12


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(InvalidValueError, match="level"):
        normal_quantile(level)
