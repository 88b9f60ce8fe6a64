import pytest

from assay.api.access import rate_limit
from assay.api.access.rate_limit import RateLimit
from assay.api.errors import ProblemError

PER_MINUTE = 7


def test_a_caller_may_ask_so_often_in_a_minute() -> None:
    now = 1000.0
    limit = RateLimit(PER_MINUTE, lambda: now)
    for _ in range(PER_MINUTE):
        limit.require_room("ada")
    with pytest.raises(ProblemError, match="7 requests per minute") as refused:
        limit.require_room("ada")
    assert refused.value.problem.status == 429
    assert refused.value.headers == {"Retry-After": "9"}
    limit.require_room("bob")
    now += 60 / PER_MINUTE
    limit.require_room("ada")
    with pytest.raises(ProblemError):
        limit.require_room("ada")
    now += 60
    for _ in range(PER_MINUTE):
        limit.require_room("ada")


def test_without_a_number_there_is_no_limit() -> None:
    limit = RateLimit(None, lambda: 0.0)
    for _ in range(1000):
        limit.require_room("ada")


def test_callers_who_asked_long_ago_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "_MAX_CALLERS", 2)
    limit = RateLimit(1, lambda: 0.0)
    for caller in ("ada", "bob", "eve"):
        limit.require_room(caller)
    limit.require_room("ada")
    with pytest.raises(ProblemError):
        limit.require_room("eve")
