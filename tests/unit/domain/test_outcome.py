"""The closed set of outcomes."""

from assay.domain.outcome import FINAL, RETRYABLE, VERDICTS, Outcome


def test_six_outcomes_are_verdicts_one_needs_none_and_the_rest_is_missing_data() -> None:
    assert [outcome.value for outcome in Outcome if outcome.is_verdict] == [
        "correct",
        "incorrect",
        "partial",
        "unparsed",
        "refused",
        "truncated",
    ]
    assert {Outcome.ANSWERED} == FINAL - VERDICTS
    assert frozenset(Outcome) == FINAL | RETRYABLE
    assert not FINAL & RETRYABLE
