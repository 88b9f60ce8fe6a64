"""Headers are checked before anything is sent, and no message repeats their values."""

import pytest

from assay.domain.calls.headers import headers_digest, parsed_headers, with_values
from assay.domain.errors import InvalidValueError

CANARY = "canary-0123456789abcdef"


def test_values_are_read_from_the_environment_when_they_are_sent() -> None:
    headers = parsed_headers(["X-Route=eu", "X-Key=Bearer ${ROUTE_KEY}"])
    assert headers == {"X-Route": "eu", "X-Key": "Bearer ${ROUTE_KEY}"}
    assert with_values(headers, {"ROUTE_KEY": CANARY}) == {"X-Route": "eu", "X-Key": f"Bearer {CANARY}"}


def test_a_missing_variable_is_named() -> None:
    with pytest.raises(InvalidValueError, match=r"'X-Key' needs the environment variable ROUTE_KEY"):
        with_values({"X-Key": "${ROUTE_KEY}"}, {"ROUTE_KEY": ""})


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("X-Key", "NAME=VALUE"),
        ("X Key=1", "is not the name of a header"),
        ("Host=elsewhere", "'Host' is set by Assay"),
        ("content-length=1", "is set by Assay"),
        ("X-Key=", "printable ASCII"),
        (f"X-Key={CANARY}\r\nHost: elsewhere", "printable ASCII"),
        (f"X-Key={CANARY}ü", "printable ASCII"),
    ],
)
def test_what_cannot_be_sent_is_an_error_without_the_value(text: str, fault: str) -> None:
    with pytest.raises(InvalidValueError, match=fault) as caught:
        parsed_headers([text])
    assert CANARY not in caught.value.message


def test_a_variable_cannot_add_a_header() -> None:
    with pytest.raises(InvalidValueError, match="printable ASCII") as caught:
        with_values({"X-Key": "${KEY}"}, {"KEY": f"{CANARY}\nHost: elsewhere"})
    assert CANARY not in caught.value.message


def test_a_header_is_given_once() -> None:
    with pytest.raises(InvalidValueError, match="given twice"):
        parsed_headers(["X-Key=1", "x-key=2"])


def test_the_digest_holds_no_value_and_none_from_the_environment() -> None:
    assert headers_digest({}) is None
    found = headers_digest({"X-Key": CANARY})
    assert found is not None
    assert CANARY not in found
    assert found == headers_digest({"x-key": CANARY}) != headers_digest({"X-Key": "other"})
