"""IFEval: prompts whose instructions a program can verify, such as "use no commas" or "answer in French"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files

from assay.benchmarks.ifeval.following import RULEBOOK
from assay.domain.benchmark import Card, Grade, Item, ItemId, ItemSet, Result, Row, Services, Tables
from assay.domain.errors import DataError
from assay.domain.messages import Completion
from assay.domain.stats import Estimate
from assay.engine.card import load_card
from assay.engine.graders.instructions.items import item_set
from assay.engine.graders.instructions.verdicts import four_figures, graded
from assay.engine.samples import SampleTables

_FOLDER = files("assay.benchmarks.ifeval")
_SPLIT = "train"


@dataclass(frozen=True, slots=True)
class IFEval:
    card: Card

    def load(self, tables: Tables) -> ItemSet:
        where = f"{self.card.name}, split {_SPLIT!r}"
        return item_set(tables.rows(_SPLIT), RULEBOOK, where=where, id_of=_key)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:  # noqa: ARG002 - protocol
        return graded(item, completion.answer, RULEBOOK, decided_by="strict")

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return four_figures(results)

    def samples(self) -> Tables:
        return SampleTables(_FOLDER, {_SPLIT: "samples.jsonl"})


def _key(row: Row) -> ItemId:
    key = row.get("key")
    if not isinstance(key, int) or isinstance(key, bool):
        raise DataError(f"field 'key' must be a whole number, not {key!r}")
    return ItemId(str(key))


benchmark = IFEval(load_card(_FOLDER))
