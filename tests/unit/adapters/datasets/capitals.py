"""A small benchmark whose data the tests of the library look for."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.domain.benchmark import (
    Card,
    Cue,
    DataFile,
    Grade,
    Item,
    ItemId,
    ItemSet,
    Row,
    Services,
    Source,
    Tables,
)
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.errors import DataMissingError
from assay.domain.outcome import Outcome

REVISION = "0123456789abcdef0123456789abcdef01234567"
SOURCE = Source(
    repository="example/capitals",
    revision=REVISION,
    files=(DataFile("data/test.jsonl", "test"), DataFile("data/dev.jsonl", "dev")),
    local_names={"test": ("questions",)},
)


def capitals_card(source: Source = SOURCE) -> Card:
    return Card(
        name="capitals",
        title="Capitals",
        version="3",
        description="Asks for capitals.",
        licence="CC0-1.0",
        source=source,
        size=100,
        metric="accuracy",
        chance=0.0,
        mode="official",
        deviations=(),
        grader="exact/1",
        generation=Generation(),
        typical_output_tokens=(1, 5),
    )


@dataclass(frozen=True)
class Capitals:
    card: Card = field(default_factory=capitals_card)

    def load(self, tables: Tables) -> ItemSet:
        items = tuple(Item(ItemId(str(row["id"])), row) for row in tables.rows("test"))
        return ItemSet(items, lambda item: Prompt.of_user(str(item.fields["text"])), lambda _: Cue())

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        del item, completion, services
        return Grade(Outcome.INCORRECT, 0.0)


class DemoCapitals(Capitals):
    """Ships demo items of the split `test` alone."""

    def demo_tables(self) -> Tables:
        return _DemoTables()


class _DemoTables:
    def rows(self, split: str) -> Iterator[Row]:
        if split != "test":
            raise DataMissingError(f"no demo items of {split!r}")
        return iter([{"id": 1, "text": "Peru?"}, {"id": 2, "text": "Chad?"}])
