"""JSON that nobody would expect in its place."""

import json
from copy import copy
from typing import Any, cast

from hypothesis import strategies as st

from assay.domain.calls.messages import Json

_NUMBERS = [0, -1, 2**31, 2**53, 2**63, 10**30, 10**400, 1e308, -0.0, float("inf"), float("nan")]
_TEXTS = ["\0", "\ud800", "\x1b[31m", "(", "$ref", "#", "1e999", " ", "POST", "user", "stop", "error"]
_DEEP = json.loads("[" * 200 + "]" * 200)

any_json: st.SearchStrategy[Json] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters())
    | st.sampled_from([*_NUMBERS, *_TEXTS, _DEEP]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


def replaced(document: Any, path: tuple[str | int, ...], value: object) -> Any:
    """A copy of the document with another value at one place."""
    if not path:
        return value
    changed = copy(document)
    changed[path[0]] = replaced(document[path[0]], path[1:], value)
    return changed


def places(document: Any) -> list[tuple[str | int, ...]]:
    """The paths of all values in the document, the whole of it included."""
    whole, keys = document, list[str | int]()
    if isinstance(document, dict):
        keys += cast("dict[str, Any]", document)
    elif isinstance(document, list):
        keys += range(len(cast("list[Any]", document)))
    return [(), *((key, *path) for key in keys for path in places(whole[key]))]
