"""JSON values, and equal values as equal bytes, so that their hashes can be compared."""

import hashlib
import json
from collections.abc import Mapping, Sequence

Json = None | bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"]


def canonical_json(value: Json) -> bytes:
    """Sorted keys, no spaces, ASCII escapes: the form that signed exports use."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=_plain).encode()


def digest(value: Json) -> str:
    return hashlib.sha256(canonical_json(value)).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # any mapping goes
    if isinstance(value, Sequence):
        return list(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # any sequence goes
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)
