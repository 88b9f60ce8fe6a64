"""Deterministic subsets: the same seed gives the same items on every machine and Python version."""

import hashlib
import random
from array import array
from collections.abc import Sequence
from functools import lru_cache

from assay.domain.errors import InvalidValueError

_SEED_HEX_DIGITS = 16
_WHOLE_PERCENT = 100


def shuffled(item_ids: Sequence[str], seed_string: str) -> list[str]:
    """The ids in an order that depends on the seed string alone."""
    return [item_ids[index] for index in _permutation(len(item_ids), seed_string)]


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
    return shuffled(item_ids, _seed_string(seed, benchmark))[:size]


def execution_order(asked: int, *, benchmark_size: int, seed: str, benchmark: str) -> Sequence[int]:
    """In which order to ask the items that were drawn, so that those asked first are a random draw as well.

    A subset stands in the order of its draw already.
    """
    if asked < benchmark_size:
        return range(asked)
    return _permutation(asked, _seed_string(seed, benchmark))


def _seed_string(seed: str, benchmark: str) -> str:
    # The family's name, so that a variant gets the same items as its benchmark.
    return f"{seed}:{benchmark.partition(':')[0]}"


# Every shard of an evaluation asks for the same order; that of a million items takes a second.
@lru_cache(maxsize=8)
def _permutation(count: int, seed_string: str) -> Sequence[int]:
    digest = hashlib.sha256(seed_string.encode()).hexdigest()
    source = random.Random(int(digest[:_SEED_HEX_DIGITS], 16))  # noqa: S311  a reproducible draw, not a secret
    order = array("L", range(count))
    for last in range(count - 1, 0, -1):
        other = _below(last + 1, source)
        order[last], order[other] = order[other], order[last]
    return order


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
