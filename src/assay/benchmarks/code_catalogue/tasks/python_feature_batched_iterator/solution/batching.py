"""Batches of the items of an iterable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(
    iterable: Iterable[T],
    size: int,
    *,
    strict: bool = False,
    container: type[tuple[T, ...]] | type[list[T]] = tuple,
) -> Iterator[tuple[T, ...] | list[T]]:
    """Group items into batches of `size`, of which only the last may have fewer."""
    if isinstance(size, bool) or not isinstance(size, int):
        raise TypeError(f"size must be an int, not {size!r}")
    if size < 1:
        raise ValueError(f"size must be at least 1, not {size}")
    if container not in (tuple, list):
        raise ValueError(f"container must be tuple or list, not {container!r}")
    return _batches(iter(iterable), size, strict, container)


def _batches(items, size, strict, container):
    while True:
        batch = container(islice(items, size))
        if len(batch) == size:
            yield batch
            continue
        # Fewer items: the iterator has ended and must not be asked again.
        if batch and strict:
            raise ValueError(f"the last batch has {len(batch)} items instead of {size}")
        if batch:
            yield batch
        return
