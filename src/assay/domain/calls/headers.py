"""Headers that a user adds to every request; `${NAME}` in a value is a variable of the environment."""

import re
from collections.abc import Mapping
from hashlib import sha256

from assay.domain.errors import InvalidValueError
from assay.domain.json_value import digest

MAX_HEADERS = 50
_MAX_VALUE_LENGTH = 8_192
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
# What the harness sets itself, or what would change how a reply is read.
_RESERVED = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "keep-alive",
        "proxy-authorization",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


def checked_headers(given: Mapping[str, str]) -> dict[str, str]:
    """The same headers; raises InvalidValueError, which never holds a value."""
    if len(given) > MAX_HEADERS:
        raise InvalidValueError(f"a run has at most {MAX_HEADERS} headers of its own, not {len(given)}")
    if len({name.lower() for name in given}) < len(given):
        raise InvalidValueError("a header is given twice; the case of its letters makes no difference")
    for name, value in given.items():
        if not _NAME.fullmatch(name):
            raise InvalidValueError(f"{name!r} is not the name of a header, such as X-Route")
        if name.lower() in _RESERVED:
            raise InvalidValueError(f"header {name!r} is set by Assay in every request: leave it out")
        _require_value(name, value)
    return dict(given)


def _require_value(name: str, value: str) -> None:
    is_sendable = value.isascii() and value.isprintable() and value == value.strip()
    if not value or not is_sendable or len(value) > _MAX_VALUE_LENGTH:
        raise InvalidValueError(
            f"the value of header {name!r} must be 1 to {_MAX_VALUE_LENGTH:,} printable ASCII characters"
            " without spaces around them"
        )


def parsed_headers(texts: list[str]) -> dict[str, str]:
    """`NAME=VALUE` each."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign:
            raise InvalidValueError("a header is given as NAME=VALUE, such as X-Route=${ROUTE_KEY}")
        if name.strip().lower() in {known.lower() for known in found}:
            raise InvalidValueError(f"header {name.strip()!r} is given twice")
        found[name.strip()] = value.strip()
    return checked_headers(found)


def variables_of(text: str) -> tuple[str, ...]:
    """The names of the variables that a text refers to."""
    return tuple(dict.fromkeys(_VARIABLE.findall(text)))


def with_values(headers: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """The headers as they are sent; raises InvalidValueError where a variable is not set."""
    sent: dict[str, str] = {}
    for name, text in headers.items():
        for variable in variables_of(text):
            if not environment.get(variable):
                raise InvalidValueError(
                    f"header {name!r} needs the environment variable {variable}, which is not set"
                )
        sent[name] = _VARIABLE.sub(lambda found: environment[found[1]], text).strip()
        _require_value(name, sent[name])
    return sent


def headers_digest(headers: Mapping[str, str]) -> str | None:
    """Identifies the headers without a value in clear: of values in the environment only the names count."""
    if not headers:
        return None
    return digest(
        {name.lower(): sha256(value.encode()).hexdigest() for name, value in sorted(headers.items())}
    )
