"""Items that are read on demand: a data set may hold millions of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import overload

from assay.domain.benchmark import Item, ItemId


class LazyItems(Sequence[Item]):
    """Keeps only the ids, which must be unique, and the categories in memory."""

    def __init__(
        self,
        ids: Sequence[ItemId],
        read: Callable[[ItemId], Item],
        categories: Mapping[ItemId, str] | None = None,
    ) -> None:
        self.ids = ids
        self.categories = categories or {}
        self._read = read

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> "LazyItems": ...
    def __getitem__(self, index: int | slice) -> "Item | LazyItems":
        if isinstance(index, slice):
            return self.chosen(self.ids[index])
        return self._read(self.ids[index])

    def __len__(self) -> int:
        return len(self.ids)

    def chosen(self, ids: Sequence[ItemId]) -> "LazyItems":
        return LazyItems(ids, self._read, self.categories)

    @property
    def by_id(self) -> Mapping[ItemId, Item]:
        return _ById(self.ids, self._read)


class _ById(Mapping[ItemId, Item]):
    def __init__(self, ids: Sequence[ItemId], read: Callable[[ItemId], Item]) -> None:
        self._ids = ids
        self._read = read

    def __getitem__(self, item_id: ItemId) -> Item:
        return self._read(item_id)

    def __iter__(self) -> Iterator[ItemId]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)
