import orjson
import pytest

from assay.adapters.models.http_errors import EXCERPT_CHARS, Target, inner_error, status_error
from assay.domain.calls.messages import Json
from assay.domain.errors import (
    AssayError,
    BadReplyError,
    CallError,
    CallTimeoutError,
    RateLimitedError,
    RejectedError,
    ServerError,
    UnauthorizedError,
    UnknownModelError,
)

CANARY = "sk-canary-0123456789"
TARGET = Target("http://host/v1", "vendor/m", "VLLM_API_KEY", CANARY)


def body(message: str = "no", **more: Json) -> bytes:
    return orjson.dumps({"error": {"message": message, **more}})


@pytest.mark.parametrize(
    ("status", "said", "expected"),
    [
        (301, b"", RejectedError),
        (400, body(code="invalid_request_error"), RejectedError),
        (400, body(code="model_not_found"), UnknownModelError),
        (400, body("The model vendor/m does not exist"), RejectedError),
        (401, body(), UnauthorizedError),
        (402, body(), UnauthorizedError),
        (403, body(), UnauthorizedError),
        (403, body(metadata={"reasons": ["violence"], "flagged_input": "x"}), RejectedError),
        (404, body(), UnknownModelError),
        (404, b"<html>nginx</html>", UnknownModelError),
        (408, body(), CallTimeoutError),
        (409, body(), RejectedError),
        (413, body(), RejectedError),
        (422, b'{"detail": [{"loc": ["body"]}]}', RejectedError),
        (429, body(code="rate_limit_exceeded"), RateLimitedError),
        (429, body(code="insufficient_quota"), UnauthorizedError),
        (400, body(type="no_db_connection", code="400"), UnauthorizedError),
        (500, body(type="auth_error", code="500"), UnauthorizedError),
        (500, b"", ServerError),
        (502, b"<html>", ServerError),
        (503, body(), ServerError),
        (529, body(type="overloaded_error"), ServerError),
    ],
)
def test_error_of_a_status(status: int, said: bytes, expected: type[AssayError]) -> None:
    error = status_error(TARGET, status, body=said, headers={})
    assert type(error) is expected
    assert "http://host/v1" in error.message


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"code": 401}, UnauthorizedError),
        ({"code": "invalid_api_key"}, UnauthorizedError),
        ({"code": 403, "metadata": {"reasons": ["x"]}}, RejectedError),
        ({"code": 404}, UnknownModelError),
        ({"code": 408}, CallTimeoutError),
        ({"code": 429}, RateLimitedError),
        ({"code": "429"}, RateLimitedError),
        ({"code": "rate_limit_exceeded"}, RateLimitedError),
        ({"code": None, "type": "overloaded_error"}, ServerError),
        ({"code": "surprise", "type": "server_error"}, ServerError),
        ({"code": "context_length_exceeded"}, RejectedError),
        ({"code": "surprise"}, BadReplyError),
        ({"code": 200}, BadReplyError),
        ({"message": "rate limit exceeded"}, BadReplyError),
        ("rate limit exceeded", BadReplyError),
        (["odd"], BadReplyError),
    ],
)
def test_error_inside_a_reply_is_judged_by_its_code(value: Json, expected: type[AssayError]) -> None:
    assert type(inner_error(TARGET, value)) is expected


def test_wait_is_passed_on() -> None:
    busy = status_error(TARGET, 429, body=b"", headers={"Retry-After": "7"})
    down = status_error(TARGET, 503, body=b"", headers={"retry-after-ms": "1500"})
    budget = status_error(TARGET, 402, body=b"", headers={"Retry-After": "3"})
    inside = inner_error(TARGET, {"code": 429, "metadata": {"headers": {"X-RateLimit-Reset": "4"}}})
    waits: list[float | None] = []
    for error in (busy, down, budget, inside):
        assert isinstance(error, CallError)
        waits.append(error.retry_after_s)
    assert waits == [7.0, 1.5, 3.0, 4.0]
    assert type(budget) is RateLimitedError


def test_a_server_that_fails_without_a_key_may_need_one() -> None:
    without = status_error(Target("http://host/v1", "m", "VLLM_API_KEY"), 500, body=b"oops", headers={})
    assert without.message.endswith("oops (no key was sent; if one is needed, set VLLM_API_KEY)")
    assert "VLLM_API_KEY" not in status_error(TARGET, 500, body=b"oops", headers={}).message


def test_refused_key_names_its_variable() -> None:
    refused = status_error(TARGET, 401, body=b"", headers={})
    assert "VLLM_API_KEY" in refused.message
    without = status_error(Target("http://host/v1", "m", "VLLM_API_KEY"), 401, body=b"", headers={})
    assert "set VLLM_API_KEY" in without.message


def test_redirect_names_the_new_address() -> None:
    error = status_error(TARGET, 308, body=b"", headers={"location": "https://host/v1"})
    assert "'https://host/v1'" in error.message


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500])
@pytest.mark.parametrize(
    "said",
    [
        f"key {CANARY} is wrong",
        f"Authorization: Bearer {CANARY}",
        "x" * (EXCERPT_CHARS - 5) + CANARY,
        "Incorrect API key provided: sk-other-9876543210",
        "Bearer abc.def.ghi",
    ],
)
@pytest.mark.parametrize("form", ["object", "plain"])
def test_keys_stay_out_of_errors(status: int, said: str, form: str) -> None:
    error = status_error(TARGET, status, body=body(said) if form == "object" else said.encode(), headers={})
    for secret in ("canary", "9876543210", "abc.def"):
        assert secret not in repr(error)
        assert secret not in str(error)
    assert "canary" not in repr(TARGET)


def test_excerpt_is_short_and_on_one_line() -> None:
    error = status_error(TARGET, 400, body=b"a\n\n b" + b"c" * 5000, headers={})
    assert "a b" in error.message
    assert len(error.message) < EXCERPT_CHARS + 100
