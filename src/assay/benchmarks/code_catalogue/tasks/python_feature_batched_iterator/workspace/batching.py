"""Batches of the items of an iterable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    raise NotImplementedError
