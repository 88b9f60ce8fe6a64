"""Answers made elsewhere that come in parts, put together."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from assay.domain.benchmark import HasParts, Item, ItemId
from assay.domain.messages import Completion
from assay.engine.grading.answers import Answer


class PartedAnswers:
    """The n-th reply to a part belongs to the n-th sample of its item."""

    def __init__(self, benchmark: HasParts, items: Sequence[Item]) -> None:
        self._benchmark = benchmark
        self._items = {item.id: item for item in items}
        self._owners = {part: item.id for item in items for part in benchmark.parts(item)}
        self._seen: Counter[str] = Counter()
        self._replies: dict[tuple[ItemId, int], dict[str, str]] = defaultdict(dict)

    def takes(self, part: str) -> bool:
        """Whether this is the id of a part; the id of an item that is its own only part is not."""
        return part in self._owners and part not in self._items

    def add(self, part: str, reply: str) -> None:
        self._replies[self._owners[part], self._seen[part]][part] = reply
        self._seen[part] += 1

    def answers(self) -> Iterator[Answer]:
        """One per item and sample, also where some of its parts have no reply."""
        for (item_id, _), replies in self._replies.items():
            item = self._items[item_id]
            yield Answer(item, Completion(self._benchmark.whole(item, replies)))
