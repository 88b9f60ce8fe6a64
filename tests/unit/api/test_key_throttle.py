import pytest

from assay.api.access.key_throttle import MAX_FAILURES, WINDOW_S, KeyThrottle
from assay.api.errors import ProblemError

HERE, THERE = "192.0.2.1", "192.0.2.2"


def test_an_address_that_sent_many_wrong_keys_waits() -> None:
    now = 1000.0
    throttle = KeyThrottle(lambda: now)
    throttle.note_right("good")
    for _ in range(MAX_FAILURES):
        throttle.require_allowed(HERE, "any")
        throttle.note_wrong(HERE)
    with pytest.raises(ProblemError, match="try again in 60 s") as refused:
        throttle.require_allowed(HERE, "any")
    assert refused.value.problem.status == 429
    assert refused.value.headers == {"Retry-After": "60"}
    throttle.require_allowed(HERE, "good")
    throttle.require_allowed(THERE, "any")
    assert (throttle.wrong, throttle.refused) == (MAX_FAILURES, 1)
    now += WINDOW_S
    throttle.require_allowed(HERE, "any")
