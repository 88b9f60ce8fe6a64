"""A user's data set as a benchmark."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.domain.benchmark import (
    Card,
    Cue,
    Grade,
    Item,
    ItemId,
    ItemSet,
    Row,
    Services,
    Source,
    Tables,
)
from assay.domain.calls.messages import Completion, Generation, Json, Prompt
from assay.domain.dataset_report import Grading
from assay.domain.datasets.dataset import DataSet, Line
from assay.domain.datasets.grading_rule import needs_of, rules_json
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.domain.outcome import Outcome
from assay.engine.datasets.files import DatasetLines
from assay.engine.graders.rules import expected as key
from assay.engine.graders.rules.combined import Asked, grade_by_rules, shown
from assay.engine.graders.rules.reading import read_rules
from assay.engine.planning.lazy_items import LazyItems
from assay.engine.ports import BenchmarkData

CATEGORY = "Your data sets"
_OUTPUT_TOKENS = (16, 1_024)


class _NoTables:
    """A data set has no tables: its items come from its lines."""

    def rows(self, split: str) -> Iterator[Row]:
        raise DataMissingError(f"a data set has no split {split!r}")


@dataclass(frozen=True, slots=True)
class DatasetBenchmark:
    dataset: DataSet
    lines: DatasetLines

    @property
    def card(self) -> Card:
        return dataset_card(self.dataset)

    def own_data(self, where: str) -> BenchmarkData:
        if where != "official":
            raise InvalidValueError(
                f"{self.dataset.benchmark!r} is a data set: it has no demo items, and --data does not apply"
            )
        return BenchmarkData(_NoTables(), f"dataset:{self.dataset.id}", self.dataset.sha256)

    def load(self, tables: Tables) -> ItemSet:
        _ = tables
        ids = self.lines.ids()
        items = LazyItems(ids, self._item, self.lines.categories(ids))
        return ItemSet(items, _prompt, _cue, checksum=self.dataset.sha256)

    def _item(self, item_id: ItemId) -> Item:
        line = self.lines.line(item_id, grading=self.dataset.grading)
        return _item(line)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        details = _tool_calls(completion)
        if not item.is_graded:
            reason = completion.refusal or ("refused by a content filter" if completion.is_refused else "")
            return Grade(Outcome.ANSWERED, 0.0, explanation=reason, details=details)
        asked = Asked(_prompt(item).text, item.fields["expected"])
        grade = await grade_by_rules(read_rules(item.fields["grader"]), asked, completion, services)
        return grade if not details else _with_details(grade, details)


def dataset_card(dataset: DataSet) -> Card:
    """What is known without opening its content."""
    graders = ", ".join(sorted(dataset.graders)) or "none"
    share = f"{dataset.graded:,} of {dataset.count:,} lines can be graded" if dataset.graded else "ungraded"
    return Card(
        name=dataset.benchmark,
        title=dataset.file_name,
        version=str(dataset.version),
        description=f"A data set of your own: {share}.",
        licence="yours",
        source=Source(dataset.benchmark, dataset.sha256, ()),
        size=dataset.count,
        metric="accuracy" if dataset.graded else "none",
        chance=0.0,
        mode="variant",
        deviations=(),
        grader=f"{graders} {key.VERSION}; lines without a grader: {dataset.grading}",
        generation=Generation(),
        typical_output_tokens=_OUTPUT_TOKENS,
        category=CATEGORY,
        needs=needs_of(dataset.graders),
    )


def _item(line: Line) -> Item:
    rules = rules_json(line.rules) if line.rules else None
    fields: Row = {"body": line.body, "grader": rules, "expected": line.expected}
    return Item(
        id=line.item_id,
        fields=fields,
        expected=None if line.expected is None else shown(line.expected),
        category=line.category,
        is_graded=bool(line.rules),
    )


def _prompt(item: Item) -> Prompt:
    body = item.fields["body"]
    if not isinstance(body, Mapping):
        raise InvalidValueError(f"line {item.id!r} has no body")
    return Prompt.of_body(body)


def _cue(item: Item) -> Cue:
    """A simulated model knows what is expected where that is a text, and says something in any case."""
    expected = item.fields["expected"]
    if isinstance(expected, list | tuple) and expected and item.fields["grader"] != Grading.JSON:
        expected = expected[0]
    if expected is None:
        return Cue(right=f"This is a reply to {item.id}.")
    if isinstance(expected, Mapping) and item.fields["grader"] == Grading.JSON_SCHEMA:
        return Cue(right="{}", wrong="no idea")
    return Cue(right=shown(expected), wrong="no idea")


def _tool_calls(completion: Completion) -> Mapping[str, Json]:
    """Kept with the attempt, so that they can be given out again."""
    if not completion.tool_calls:
        return {}
    calls: list[Json] = [
        {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": one.arguments}}
        for one in completion.tool_calls
    ]
    return {"tool_calls": calls}


def _with_details(grade: Grade, details: Mapping[str, Json]) -> Grade:
    return Grade(
        grade.outcome,
        grade.score,
        extracted=grade.extracted,
        explanation=grade.explanation,
        details={**grade.details, **details},
    )
