"""Maps error responses to Assay's errors, by status and structured code, never by wording."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from assay.adapters.models.json_text import parsed
from assay.adapters.models.retry_after import retry_after_s
from assay.domain.access.secret import printable, redacted
from assay.domain.calls.messages import Json
from assay.domain.errors import (
    BadReplyError,
    CallError,
    CallTimeoutError,
    ConnectionFailedError,
    EndpointError,
    RateLimitedError,
    RejectedError,
    ServerError,
    UnauthorizedError,
    UnknownModelError,
)

EXCERPT_CHARS = 300
_READ_CHARS = 10 * EXCERPT_CHARS
_CODE_DIGITS = 3
_NO_CREDIT = 402
_FORBIDDEN = 403

# Error codes inside a successful reply, mapped to the status that they stand for.
_STATUS_OF_CODE: Mapping[str, int] = {
    "invalid_api_key": 401,
    "authentication_error": 401,
    # LiteLLM's; the second if it cannot look a key up, with status 400.
    "auth_error": 401,
    "no_db_connection": 401,
    "API_KEY_INVALID": 401,
    "UNAUTHENTICATED": 401,
    "insufficient_quota": 402,
    "billing_error": 402,
    "permission_error": 403,
    "permission_denied": 403,
    "PERMISSION_DENIED": 403,
    "model_not_found": 404,
    "not_found_error": 404,
    "NotFoundError": 404,
    "NOT_FOUND": 404,
    "request_timeout": 408,
    "timeout": 408,
    "rate_limit_exceeded": 429,
    "rate_limit_error": 429,
    "too_many_requests": 429,
    "RESOURCE_EXHAUSTED": 429,
    "invalid_request_error": 400,
    "BadRequestError": 400,
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "request_too_large": 413,
    "context_length_exceeded": 400,
    "content_filter": 400,
    "server_error": 500,
    "internal_error": 500,
    "internal_server_error": 500,
    "InternalServerError": 500,
    "INTERNAL": 500,
    "api_error": 500,
    "service_unavailable": 503,
    "UNAVAILABLE": 503,
    "timeout_error": 504,
    "DEADLINE_EXCEEDED": 504,
    "overloaded_error": 529,
}
# Codes that are more specific than the status they usually come with.
_DECISIVE = frozenset(
    {"model_not_found", "insufficient_quota", "auth_error", "no_db_connection", "API_KEY_INVALID"}
)
_MAX_DETAILS = 20


@dataclass(frozen=True, slots=True)
class Target:
    """The endpoint and model that errors name; its secrets are needed only to redact them."""

    endpoint: str
    model: str
    key_variable: str
    key: str | None = field(default=None, repr=False)
    # Values of headers, which may be secret.
    hidden: tuple[str, ...] = field(default=(), repr=False)
    # What follows the base URL.
    path: str = "chat/completions"

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.key, *self.hidden) if self.key else self.hidden


@dataclass(frozen=True, slots=True)
class Problem:
    """An endpoint's error object; `is_about_input` separates a blocked prompt from a refused key."""

    codes: tuple[str, ...]
    message: str
    is_about_input: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


def status_error(
    target: Target, status: int, *, body: bytes, headers: Mapping[str, str]
) -> CallError | EndpointError:
    """The error for a reply with this status; the names of headers are in lower case."""
    problem = _reported(body, headers)
    decisive = next((code for code in problem.codes if code in _DECISIVE), None)
    if decisive and status in (400, 404, 429, 500):
        status = _STATUS_OF_CODE[decisive]
    return _error(target, status, problem, retry_after_s({**problem.headers, **headers}))


def reported_message(body: bytes, headers: Mapping[str, str], secrets: Iterable[str] = ()) -> str:
    """What a server says in a reply with an error status, to be put after a sentence; may be empty."""
    return _excerpt(secrets, _reported(body, headers))


def _reported(body: bytes, headers: Mapping[str, str]) -> Problem:
    if location := headers.get("location"):
        return Problem((), f"it redirects to {location!r}; give the new address as the base URL")
    return _problem(parsed(body)) or Problem((), body.decode(errors="replace"))


def filtered_prompt(target: Target, status: int, body: bytes) -> str | None:
    """What an endpoint says that refuses a prompt for its content, as Azure does; None for other errors."""
    problem = _problem(parsed(body)) if status == HTTPStatus.BAD_REQUEST else None
    if problem is None or "content_filter" not in problem.codes:
        return None
    return _excerpt(target.secrets, problem).removeprefix(": ")


def inner_error(target: Target, value: Json) -> CallError | EndpointError:
    """The error for an error object inside a reply that began as a success."""
    problem = _problem({"error": value}) or Problem((), str(value))
    for code in problem.codes:
        is_status = code.isdecimal() and len(code) == _CODE_DIGITS
        status = int(code) if is_status else _STATUS_OF_CODE.get(code)
        if status is not None and status >= HTTPStatus.BAD_REQUEST:
            return _error(target, status, problem, retry_after_s(problem.headers))
    return bad_reply(target, f"stopped with an error{_excerpt(target.secrets, problem)}")


def bad_reply(target: Target, reason: str) -> BadReplyError:
    return BadReplyError(f"{target.endpoint!r}, model {target.model!r}: {reason}")


def connection_failed(target: Target, reason: str) -> ConnectionFailedError:
    return ConnectionFailedError(f"{target.endpoint!r}, model {target.model!r}: {reason}")


def timed_out(target: Target, reason: str) -> CallTimeoutError:
    return CallTimeoutError(f"{target.endpoint!r}, model {target.model!r}: {reason}")


def missing_key(target: Target) -> UnauthorizedError:
    return UnauthorizedError(f"{target.endpoint!r} needs a key: set {target.key_variable}")


def _error(target: Target, status: int, problem: Problem, retry_s: float | None) -> CallError | EndpointError:
    if fatal := _fatal(target, status, problem, is_passing=retry_s is not None):
        return fatal
    said = (
        f"{target.endpoint!r} answered {status} for model {target.model!r}{_excerpt(target.secrets, problem)}"
    )
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR and not target.key:
        # Some servers fail where others say that a key is missing.
        said += f" (no key was sent; if one is needed, set {target.key_variable})"
    return _kind(status, is_passing=retry_s is not None)(said, status=status, retry_after_s=retry_s)


def _kind(status: int, *, is_passing: bool) -> type[CallError]:
    if status == HTTPStatus.TOO_MANY_REQUESTS or (status == _NO_CREDIT and is_passing):
        return RateLimitedError
    if status == HTTPStatus.REQUEST_TIMEOUT:
        return CallTimeoutError
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ServerError
    return RejectedError


def _fatal(target: Target, status: int, problem: Problem, *, is_passing: bool) -> EndpointError | None:
    """The error for a status after which no request to this model can succeed, or None."""
    where = f"{target.endpoint!r} answered {status} for model {target.model!r}"
    if status == HTTPStatus.UNAUTHORIZED or (status == _FORBIDDEN and not problem.is_about_input):
        advice = (
            f"it refuses the key in {target.key_variable}" if target.key else f"set {target.key_variable}"
        )
        return UnauthorizedError(f"{where}: {advice}{_excerpt(target.secrets, problem)}", status=status)
    if status == _NO_CREDIT and not is_passing:
        return UnauthorizedError(
            f"{where}: the account has no credit left{_excerpt(target.secrets, problem)}", status=status
        )
    if status == HTTPStatus.NOT_FOUND:
        advice = f"check the model's name, and that the base URL ends where /{target.path} begins"
        return UnknownModelError(f"{where}: {advice}{_excerpt(target.secrets, problem)}", status=status)
    return None


def _excerpt(secrets: Iterable[str], problem: Problem) -> str:
    words = " ".join(problem.message[:_READ_CHARS].split())
    text = printable(redacted(words, secrets))
    return f": {text[:EXCERPT_CHARS]}" if text else ""


def _problem(value: Json) -> Problem | None:
    """Read `{"error": {...}}`, the flat form of older vLLM, and `{"error": "text"}`."""
    if not isinstance(value, dict):
        return None
    error = value.get("error", value)
    if isinstance(error, str):
        return Problem((), error)
    if not isinstance(error, dict):
        return None
    message = error.get("message")
    details = _details(error.get("details"))
    named = [error.get(name) for name in ("code", "status", "type")]
    codes = tuple(
        str(one) for one in (*named, *(one.get("reason") for one in details)) if isinstance(one, str | int)
    )
    metadata = error.get("metadata")
    if not isinstance(message, str) and not codes:
        return None
    return Problem(
        codes=codes,
        message=message if isinstance(message, str) else "",
        is_about_input=isinstance(metadata, dict)
        and not metadata.keys().isdisjoint(("reasons", "flagged_input")),
        headers={**_retry_headers(details), **_inner_headers(metadata)},
    )


def _details(value: Json) -> list[Mapping[str, Json]]:
    """What Google's APIs add to an error, each of a type of its own."""
    return [one for one in value[:_MAX_DETAILS] if isinstance(one, dict)] if isinstance(value, list) else []


def _retry_headers(details: list[Mapping[str, Json]]) -> dict[str, str]:
    """`{"@type": ".../google.rpc.RetryInfo", "retryDelay": "34.5s"}` as the header that others send."""
    delays = [one["retryDelay"] for one in details if isinstance(one.get("retryDelay"), str)]
    return {"retry-after": str(delays[0]).removesuffix("s")} if delays else {}


def _inner_headers(metadata: Json) -> dict[str, str]:
    headers = metadata.get("headers") if isinstance(metadata, dict) else None
    if not isinstance(headers, dict):
        return {}
    return {name: str(value) for name, value in headers.items() if isinstance(value, str | int | float)}
