import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.errors import InvalidValueError
from assay.domain.stats import cohen_kappa, krippendorff_alpha


def test_kappa_by_hand() -> None:
    # 50 proposals: 20 both yes, 15 both no, 5 and 10 split. Observed .7, chance .5 * .6 + .5 * .4 = .5.
    pairs = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    result = cohen_kappa([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert abs((result.kappa or 0.0) - 0.4) < 1e-12
    assert (result.observed, result.by_chance, result.base_rate, result.n) == (0.7, 0.5, 0.6, 50)


def test_high_agreement_can_mean_nothing() -> None:
    result = cohen_kappa(["ok"] * 20, ["ok"] * 18 + ["bad"] * 2)
    assert (result.kappa, result.observed, result.base_rate) == (0.0, 0.9, 0.9)


def test_one_label_throughout_has_no_kappa() -> None:
    assert cohen_kappa(["a", "a"], ["a", "a"]).kappa is None


def test_labels_must_pair_up() -> None:
    with pytest.raises(InvalidValueError, match="2 labels against 1"):
        cohen_kappa(["a", "b"], ["a"])
    with pytest.raises(InvalidValueError, match="0 labels"):
        cohen_kappa([], [])


def test_alpha_with_missing_ratings() -> None:
    # Krippendorff (2011), four observers and twelve units: nominal alpha 0.743.
    observers = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    items = [
        [None if rating == "." else rating for rating in column] for column in zip(*observers, strict=True)
    ]
    assert abs((krippendorff_alpha(items) or 0.0) - 0.743421052631579) < 1e-12


def test_alpha_of_two_observers() -> None:
    # Krippendorff (2011), binary data: 1 - 19 * 8 / (14 * 6 * 2) = 0.095.
    items = list(zip("0100000010", "1110010000", strict=True))
    assert abs((krippendorff_alpha(items) or 0.0) - (1 - 19 * 8 / 168)) < 1e-12


def test_alpha_needs_variation_and_pairs() -> None:
    assert krippendorff_alpha([]) is None
    assert krippendorff_alpha([["a", "a"], ["a", "a"]]) is None
    assert krippendorff_alpha([["a", None], [None, "b"]]) is None


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=30))
def test_agreement_never_exceeds_one(pairs: list[tuple[str, str]]) -> None:
    ours, theirs = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    kappa, alpha = cohen_kappa(ours, theirs).kappa, krippendorff_alpha(pairs)
    assert kappa is None or kappa <= 1
    assert alpha is None or alpha <= 1
    if ours == theirs:
        assert kappa in {None, 1.0}
        assert alpha in {None, 1.0}
