"""IFBench: 58 instructions that models have not trained on, verified by a program as IFEval's are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from assay.benchmarks.ifbench.following import RULEBOOK
from assay.domain.benchmark import Card, Grade, Item, ItemId, ItemSet, Result, Row, Services, Tables
from assay.domain.errors import DataError
from assay.domain.messages import Completion
from assay.domain.stats import Estimate
from assay.engine.card import load_card
from assay.engine.graders.instructions.items import item_set
from assay.engine.graders.instructions.verdicts import four_figures, graded
from assay.engine.samples import SampleTables

_FOLDER = files("assay.benchmarks.ifbench")
_SPLIT = "train"


@dataclass(frozen=True, slots=True)
class IFBench:
    card: Card

    def load(self, tables: Tables) -> ItemSet:
        where = f"{self.card.name}, split {_SPLIT!r}"
        return item_set(tables.rows(_SPLIT), RULEBOOK, where=where, id_of=_key)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:  # noqa: ARG002 - protocol
        return graded(item, completion.answer, RULEBOOK, decided_by="loose")

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return four_figures(results)

    def samples(self) -> Tables:
        return SampleTables(_FOLDER, {_SPLIT: "samples.jsonl"})


def _key(row: Row) -> ItemId:
    """A text in the official file; a copy that made it a number names the same item."""
    key = row.get("key")
    if isinstance(key, bool) or not isinstance(key, str | int) or not str(key):
        raise DataError(f"field 'key' must be a text that is not empty, not {key!r}")
    return ItemId(str(key))


benchmark = IFBench(load_card(_FOLDER))
