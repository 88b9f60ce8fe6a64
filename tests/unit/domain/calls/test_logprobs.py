import pytest

from assay.domain.calls.logprobs import Logprobs, combined_logprobs


def test_replies_count_by_their_tokens() -> None:
    found = combined_logprobs([Logprobs(1, -4.0, -4.0), None, Logprobs(3, -1.0, -2.0)])
    assert found is not None
    assert (found.tokens, found.lowest) == (4, -4.0)
    assert found.mean == pytest.approx(-1.75)


def test_nothing_is_known_of_replies_without_any() -> None:
    assert combined_logprobs([]) is None
    assert combined_logprobs([None]) is None
