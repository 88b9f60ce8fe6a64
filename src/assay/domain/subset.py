"""Deterministic subsets: the same seed gives the same items on every machine and Python version."""

import hashlib
import random
from collections.abc import Sequence

from assay.domain.errors import InvalidValueError

_SEED_HEX_DIGITS = 16
_WHOLE_PERCENT = 100


def shuffled(item_ids: Sequence[str], seed_string: str) -> list[str]:
    """The ids in an order that depends on the seed string alone."""
    digest = hashlib.sha256(seed_string.encode()).hexdigest()
    source = random.Random(int(digest[:_SEED_HEX_DIGITS], 16))  # noqa: S311  a reproducible draw, not a secret
    order = list(item_ids)
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, source)
        order[last], order[other] = order[other], order[last]
    return order


def draw_subset(
    item_ids: Sequence[str],
    *,
    seed: str,
    benchmark: str,
    percent: int | None = None,
    count: int | None = None,
) -> list[str]:
    """A prefix of one shuffle, so smaller subsets nest in larger ones; a whole set keeps the data's order."""
    size = _size(len(item_ids), percent=percent, count=count)
    if size >= len(item_ids):
        return list(item_ids)
    return shuffled(item_ids, f"{seed}:{benchmark}")[:size]


def _size(total: int, *, percent: int | None, count: int | None) -> int:
    if percent is not None and count is not None:
        raise InvalidValueError(f"a subset is {percent} percent or {count} items, not both: give one of them")
    if percent is not None and not 1 <= percent <= _WHOLE_PERCENT:
        raise InvalidValueError(f"a subset of {percent!r} percent: give a whole number from 1 to 100")
    if count is not None and count < 1:
        raise InvalidValueError(f"a subset of {count!r} items: give 1 or more")
    if count is not None:
        return count
    return total if percent is None else max(1, total * percent // 100)


def _below(limit: int, source: random.Random) -> int:
    # CPython 3.11's own rejection scheme, spelled out: `random.shuffle` may change between Python versions,
    # and a published subset must not.
    bits = limit.bit_length()
    drawn = source.getrandbits(bits)
    while drawn >= limit:
        drawn = source.getrandbits(bits)
    return drawn
