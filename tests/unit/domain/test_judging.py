"""What identifies the judges of a run."""

from dataclasses import replace

import pytest

from assay.domain.calls.messages import Generation
from assay.domain.errors import InvalidValueError
from assay.domain.judging import Judging

ONE = Judging(("a/one",))


def test_the_label_names_all_that_may_change_a_verdict() -> None:
    assert ONE.label == "a/one"
    assert replace(ONE, votes=3).label == "a/one; 3 votes"
    panel = Judging(("b/two", "a/one"), votes=2, generation=Generation(temperature=0.5, max_tokens=64))
    assert panel.label == "a/one, b/two; 2 votes each; temperature 0.5; max_tokens 64"


def test_order_address_and_patience_change_nothing() -> None:
    panel = Judging(("a/one", "b/two"))
    assert Judging(("b/two", "a/one")).label == panel.label
    assert replace(panel, base_url="http://elsewhere", timeout_s=1.0).label == panel.label


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"models": ()}, "1 to 9 judges"),
        ({"models": tuple(f"a/{n}" for n in range(10))}, "1 to 9 judges"),
        ({"models": ("a/one", "a/one")}, "named twice"),
        ({"votes": 0}, "1 to 25 votes"),
        ({"votes": 26}, "1 to 25 votes"),
        ({"timeout_s": 0.0}, "above 0 seconds"),
        ({"timeout_s": float("inf")}, "above 0 seconds"),
    ],
)
def test_impossible_judges_are_refused(changes: dict[str, object], complaint: str) -> None:
    with pytest.raises(InvalidValueError, match=complaint):
        replace(ONE, **changes)
