"""JSON values, and equal values as equal bytes, so that their hashes can be compared."""

import hashlib
import json
from collections.abc import Mapping, Sequence

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]
# In one reply or line of a data set.
MAX_VALUES = 500_000


def has_too_many_values(data: bytes) -> bool:
    """Whether what is written as JSON or CSV there may not be parsed.

    A few bytes can take a hundred bytes of memory, and other threads wait while they are parsed.
    """
    return len(data) > MAX_VALUES and sum(map(data.count, (b",", b"{", b"["))) > MAX_VALUES


def canonical_json(value: Json) -> bytes:
    """Sorted keys, no spaces, ASCII escapes: the form that signed exports use."""
    return _CANONICAL.encode(value).encode()


def digest(value: Json) -> str:
    return hashlib.sha256(canonical_json(value)).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # any mapping goes
    if isinstance(value, Sequence):
        return list(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # any sequence goes
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)


# Made once: every item of a benchmark is encoded before a worker begins with it.
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=_plain)
