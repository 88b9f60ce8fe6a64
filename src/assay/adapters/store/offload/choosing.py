"""Choosing attempts while they are read from a file."""

from collections.abc import AsyncIterator

from assay.adapters.store.database.stored_values import storable
from assay.domain.attempt import Attempt, AttemptKey
from assay.engine.stores.attempts import AttemptFilter


def is_read_from_files(wanted: AttemptFilter) -> bool:
    """Whether the filter chooses by outcome, item and key alone, and keeps the order of the items."""
    of_keys = AttemptFilter(
        outcomes=wanted.outcomes,
        after=wanted.after,
        limit=wanted.limit,
        offset=wanted.offset,
        items=wanted.items,
        keys=wanted.keys,
        without=wanted.without,
        is_one_per_item=wanted.is_one_per_item,
    )
    return wanted == of_keys


async def chosen(found: AsyncIterator[Attempt], wanted: AttemptFilter) -> AsyncIterator[Attempt]:
    """Those that the filter chooses; without its limit and offset."""
    last = None
    async for one in found:
        if _is_chosen(one, wanted) and not (wanted.is_one_per_item and one.item_id == last):
            last = one.item_id
            if wanted.after is None or _order(one.key) > _order(wanted.after):
                yield one


def _is_chosen(one: Attempt, wanted: AttemptFilter) -> bool:
    return (
        (not wanted.outcomes or one.outcome in wanted.outcomes)
        and (wanted.items is None or one.item_id in wanted.items)
        and (wanted.keys is None or one.key in wanted.keys)
        and one.key not in wanted.without
    )


def _order(key: AttemptKey) -> tuple[str, int]:
    return storable(key.item_id), key.sample
