"""Whether two JSON values are equal: members in any order, and numbers by value."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from assay.domain.json_value import Json

_SHOWN = 100


def first_difference(
    said: Json, expected: Json, *, tolerance: float = 0.0, is_subset: bool = False
) -> str | None:
    """Where and how they differ, or None; with `is_subset` an object may have further members."""
    left: list[tuple[str, Json, Json]] = [("", said, expected)]
    while left:
        where, one, other = left.pop()
        fault = _fault(one, other, tolerance=tolerance, is_subset=is_subset)
        if fault is not None:
            return f"{where or 'the document'}: {fault}"
        left.extend(reversed([(f"{where}/{name}", *pair) for name, pair in _inside(one, other)]))
    return None


def _fault(said: Json, expected: Json, *, tolerance: float, is_subset: bool) -> str | None:
    if isinstance(expected, Mapping) and isinstance(said, Mapping):
        missing = sorted(expected.keys() - said.keys())
        further = [] if is_subset else sorted(said.keys() - expected.keys())
        if missing:
            return f"has no {missing[0]!r}"
        return f"has {further[0]!r}, which was not expected" if further else None
    if _is_list(expected) and _is_list(said):
        lengths = len(said), len(expected)
        return None if lengths[0] == lengths[1] else f"has {lengths[0]} members, not {lengths[1]}"
    if _is_number(said) and _is_number(expected):
        return None if abs(said - expected) <= tolerance else f"is {said!r}, not {expected!r}"
    if type(said) is type(expected) and said == expected:
        return None
    return f"is {_shown(said)}, not {_shown(expected)}"


def _inside(said: Json, expected: Json) -> Iterator[tuple[str, tuple[Json, Json]]]:
    if isinstance(expected, Mapping) and isinstance(said, Mapping):
        yield from ((name, (said[name], value)) for name, value in expected.items())
    elif _is_list(expected) and _is_list(said):
        yield from ((str(place), pair) for place, pair in enumerate(zip(said, expected, strict=True)))


def _is_list(value: Json) -> TypeGuard[Sequence[Json]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _is_number(value: Json) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
