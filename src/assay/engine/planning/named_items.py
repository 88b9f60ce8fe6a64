"""The items that a run names, in place of a whole benchmark or a subset that is drawn."""

from collections.abc import Iterable, Sequence
from itertools import chain

from assay.domain.benchmark import ItemId
from assay.domain.errors import InvalidValueError, nearest_names

_MOST_LISTED = 5
_LONGEST_LISTED = 100


def named_ids(ids: Sequence[ItemId], names: Sequence[ItemId], *, benchmark: str) -> list[ItemId]:
    """Those of `ids` that are named, in the order of the data; raises InvalidValueError if none is."""
    wanted = frozenset(names)
    found = [item_id for item_id in ids if item_id in wanted]
    if not found:
        raise InvalidValueError(
            f"{benchmark!r} has none of the items that the run names: {_listed(names, ids)}"
        )
    return found


def require_known(
    names: Sequence[ItemId], *, chosen: Iterable[Sequence[ItemId]], known: Iterable[Sequence[ItemId]]
) -> None:
    """Raise InvalidValueError if a named item was chosen in no benchmark of the run."""
    found = frozenset(chain.from_iterable(chosen))
    missing = [name for name in names if name not in found]
    if missing:
        listed = _listed(missing, list(chain.from_iterable(known)))
        raise InvalidValueError(f"no benchmark of the run has these items: {listed}")


def _listed(names: Sequence[ItemId], known: Sequence[ItemId]) -> str:
    texts = [f"{name[:_LONGEST_LISTED]!r}{_hint(name, known)}" for name in names[:_MOST_LISTED]]
    if len(names) > _MOST_LISTED:
        texts.append(f"and {len(names) - _MOST_LISTED:,} more")
    return ", ".join(texts)


def _hint(name: ItemId, known: Sequence[ItemId]) -> str:
    nearest = nearest_names(name, known)
    return f" (did you mean {' or '.join(map(repr, nearest))}?)" if nearest else ""
