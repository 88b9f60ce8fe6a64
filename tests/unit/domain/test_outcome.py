"""The closed set of outcomes."""

from assay.domain.outcome import RETRYABLE, VERDICTS, Outcome


def test_six_outcomes_are_verdicts_and_the_rest_is_missing_data() -> None:
    assert [outcome.value for outcome in Outcome if outcome.is_verdict] == [
        "correct",
        "incorrect",
        "partial",
        "unparsed",
        "refused",
        "truncated",
    ]
    assert frozenset(Outcome) == VERDICTS | RETRYABLE
    assert not VERDICTS & RETRYABLE
