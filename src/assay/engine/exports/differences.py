"""Where a stated figure is not the one that was computed."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from assay.domain.calls.messages import Json

_RELATIVE, _ABSOLUTE = 1e-9, 1e-12


def differences(stated: Json, computed: Json, name: str) -> Iterator[str]:
    """Where two values differ by more than rounding."""
    if isinstance(stated, Mapping) and isinstance(computed, Mapping):
        for key in sorted({*stated, *computed}):
            yield from differences(stated.get(key), computed.get(key), f"{name}.{key}")
    elif _is_list(stated) and _is_list(computed) and len(stated) == len(computed):
        for place, (theirs, ours) in enumerate(zip(stated, computed, strict=True)):
            yield from differences(theirs, ours, f"{name}.{place}")
    elif not _is_same(stated, computed):
        yield f"{name} is stated as {stated!r}, the attempts give {computed!r}"


def _is_same(stated: Json, computed: Json) -> bool:
    if isinstance(stated, bool) or isinstance(computed, bool):
        return stated is computed
    if isinstance(stated, int | float) and isinstance(computed, int | float):
        return math.isclose(stated, computed, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE)
    return stated == computed


def _is_list(value: Json) -> TypeGuard[Sequence[Json]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
