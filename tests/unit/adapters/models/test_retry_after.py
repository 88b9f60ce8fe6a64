import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.retry_after import retry_after_s

NOW_S = 1_800_000_000.0


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "Fri, 15 Jan 2027 08:00:30 GMT"}, 30.0),
        ({"Retry-After": "Fri, 15 Jan 2027 07:00:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "1e300"}, 86_400.0),
        ({"x-ratelimit-reset": "9" * 400 + "s"}, 86_400.0),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-reset-tokens": "7.66s"}, 7.66),
        ({"x-ratelimit-reset": "12"}, 12.0),
        ({"X-RateLimit-Reset": "1800000045000"}, 45.0),
        ({"X-RateLimit-Reset": "1800000045"}, 45.0),
        ({"x-ratelimit-reset": "tomorrow"}, None),
        ({"x-ratelimit-reset": "5s later"}, None),
        (
            {
                "x-ratelimit-reset-requests": "1h",
                "x-ratelimit-remaining-requests": "99",
                "x-ratelimit-reset-tokens": "3s",
                "x-ratelimit-remaining-tokens": "0",
            },
            3.0,
        ),
    ],
)
def test_seconds_asked_for(headers: dict[str, str], expected: float | None) -> None:
    assert retry_after_s(headers, now_s=NOW_S) == (None if expected is None else pytest.approx(expected))


NAMES = ("retry-after", "retry-after-ms", "x-ratelimit-reset", "x-ratelimit-remaining")


@given(st.dictionaries(st.sampled_from(NAMES), st.text() | st.from_regex(r"[\w+-.:, ]{1,40}")))
def test_any_header_gives_at_most_a_day(headers: dict[str, str]) -> None:
    wait_s = retry_after_s(headers, now_s=NOW_S)
    assert wait_s is None or 0 <= wait_s <= 86_400
