"""A benchmark of prompts with instructions that a program can verify."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources.abc import Traversable

from assay.domain.benchmark import Card, Grade, Item, ItemId, ItemSet, Result, Row, Services, Tables
from assay.domain.calls.messages import Completion
from assay.domain.stats import Estimate
from assay.engine.graders.instructions.following import Rulebook
from assay.engine.graders.instructions.items import item_set
from assay.engine.graders.instructions.verdicts import Mode, four_figures, graded
from assay.engine.planning.card import load_card
from assay.engine.planning.demo_items import DemoTables

_SPLIT = "train"


@dataclass(frozen=True, slots=True)
class InstructionBenchmark:
    """Its folder has the card and the demo items; `decided_by` says which verdicts its score is made of."""

    card: Card
    folder: Traversable
    rulebook: Rulebook
    id_of: Callable[[Row], ItemId]
    decided_by: Mode

    @classmethod
    def in_folder(
        cls, folder: Traversable, rulebook: Rulebook, *, id_of: Callable[[Row], ItemId], decided_by: Mode
    ) -> "InstructionBenchmark":
        return cls(load_card(folder), folder, rulebook, id_of, decided_by)

    def load(self, tables: Tables) -> ItemSet:
        where = f"{self.card.name}, split {_SPLIT!r}"
        return item_set(tables.rows(_SPLIT), self.rulebook, where=where, id_of=self.id_of)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:  # noqa: ARG002 - protocol
        return graded(item, completion.answer, self.rulebook, decided_by=self.decided_by)

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return four_figures(results)

    def demo_tables(self) -> Tables:
        return DemoTables(self.folder, {_SPLIT: "demo.jsonl"})
