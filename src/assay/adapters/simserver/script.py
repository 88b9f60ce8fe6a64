"""What the test endpoint does with a request: set at start, in the model's name, or in request headers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Literal, get_args
from urllib.parse import parse_qsl

from assay.domain.errors import InvalidValueError, UnknownNameError

Answer = Literal["letter", "echo", "fixed"]
Usage = Literal["last", "every", "first", "none"]
Reasoning = Literal["none", "reasoning_content", "reasoning", "think", "thinking", "closing", "unclosed"]
HEADER_PREFIX = "x-sim-"


@dataclass(frozen=True, slots=True)
class Script:
    """How one reply behaves; counts of chunks start at 1, and 0 means never."""

    answer: Answer = "letter"
    text: str = "All is well."
    seed: int = 0
    pad_bytes: int = 0
    chunks: int = 8
    ttft_ms: float = 0.0
    gap_ms: float = 0.0
    stall_after: int = 0
    stall_ms: float = 3_000.0
    cut_after: int = 0
    malformed_after: int = 0
    error_after: int = 0
    # A failure instead of a reply: on every nth request, for this share of them.
    status: int = 0
    every: int = 1
    share: float = 1.0
    retry_after: str = ""
    code: str = ""
    rejects: str = ""
    usage: Usage = "last"
    reasoning: Reasoning = "none"
    finish: str = "stop"
    refusal: str = ""
    tools: bool = False
    parts: bool = False
    plain: bool = False
    done: bool = True
    keepalives: int = 0
    keepalive_ms: float = 0.0
    crlf: bool = False
    spaced: bool = True
    split_bytes: int = 0
    # Adds the time at which each chunk was sent to the chunk, by the machine's monotonic clock.
    stamp: bool = False

    def with_options(self, options: Mapping[str, str]) -> "Script":
        return replace(self, **{name: _value(name, text) for name, text in options.items()})


_DEFAULTS: Mapping[str, bool | int | float | str] = {
    field.name: field.default
    for field in fields(Script)
    if isinstance(field.default, bool | int | float | str)
}
_WORDS: Mapping[str, tuple[str, ...]] = {
    "answer": get_args(Answer),
    "usage": get_args(Usage),
    "reasoning": get_args(Reasoning),
}

MODELS: Mapping[str, Mapping[str, str]] = {
    "test/letter": {},
    "test/echo": {"answer": "echo"},
    "test/fixed": {"answer": "fixed"},
    "test/slow": {"ttft_ms": "500", "gap_ms": "50"},
    "test/stall": {"stall_after": "2"},
    "test/cut": {"cut_after": "3"},
    "test/busy": {"status": "429", "retry_after": "1", "every": "3"},
    "test/broken": {"status": "500"},
}
"""The built-in model names, with the options that each stands for."""


@lru_cache(maxsize=4096)
def scripted(default: Script, model: str) -> Script:
    """The script of a model's name such as `test/stall?stall_ms=200`."""
    name, _, query = model.partition("?")
    options = {**MODELS.get(name, {}), **dict(parse_qsl(query, keep_blank_values=True))}
    return default.with_options(options) if options else default


def header_options(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The options among the request headers: `X-Sim-Cut-After: 2` sets `cut_after`."""
    return {
        name.lower()[len(HEADER_PREFIX) :].replace("-", "_"): value
        for name, value in headers
        if name.lower().startswith(HEADER_PREFIX)
    }


def _value(name: str, text: str) -> bool | int | float | str:
    default = _DEFAULTS.get(name)
    if default is None:
        raise UnknownNameError("option of the test endpoint", name)
    if isinstance(default, bool):
        return text.lower() in ("1", "true", "yes")
    if name in _WORDS and text not in _WORDS[name]:
        raise InvalidValueError(f"option {name!r} is one of {', '.join(_WORDS[name])}, not {text!r}")
    try:
        return type(default)(text)
    except ValueError as error:
        raise InvalidValueError(f"option {name!r} needs a number, not {text!r}") from error
