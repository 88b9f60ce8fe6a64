"""A user's data set as a benchmark."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from assay.domain.benchmark import (
    Card,
    Cue,
    Grade,
    Item,
    ItemId,
    ItemSet,
    Need,
    Row,
    Services,
    Source,
    Tables,
)
from assay.domain.dataset import DataSet, Line
from assay.domain.dataset_report import Grading
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.domain.messages import Completion, Generation, Json, Prompt
from assay.domain.outcome import Outcome
from assay.engine.datasets.files import DatasetLines
from assay.engine.graders import expected as key
from assay.engine.graders.judge import JudgeQuestion, grade_by_judge, judge_prompt
from assay.engine.planning.lazy_items import LazyItems
from assay.engine.ports import BenchmarkData

CATEGORY = "Your data sets"
_OUTPUT_TOKENS = (16, 1_024)
_JUDGING = Generation(temperature=0.0)
_RUBRIC = """Decide whether an answer meets a requirement. Judge only what the requirement asks for.

[Question]
{question}

[Requirement for a correct answer]
{requirement}

[Answer]
{answer}

Reply with one word: CORRECT if the answer meets the requirement, INCORRECT if it does not."""


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
        grading = Grading(str(item.fields["grader"]))
        if grading is Grading.JUDGE:
            return await _judged(item, completion, services)
        # What is expected comes from users: nothing of it is evaluated in this process.
        grade = await services.required_isolated()(
            key.grade_expected, grading, item.fields["expected"], completion.answer
        )
        return grade if not details else _with_details(grade, details)


def dataset_card(dataset: DataSet) -> Card:
    """What is known without opening its content."""
    needs = {Need.JUDGE} if dataset.graders.get(Grading.JUDGE) else set[Need]()
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
        needs=frozenset(needs),
    )


def _item(line: Line) -> Item:
    fields: Row = {"body": line.body, "grader": line.grading, "expected": line.expected}
    return Item(
        id=line.item_id,
        fields=fields,
        expected=None if line.expected is None else _shown(line.expected),
        category=line.category,
        is_graded=line.expected is not None,
    )


def _prompt(item: Item) -> Prompt:
    body = item.fields["body"]
    if not isinstance(body, Mapping):
        raise InvalidValueError(f"line {item.id!r} has no body")
    return Prompt.of_body(body)


def _cue(item: Item) -> Cue:
    """A simulated model knows what is expected where that is a text, and says something in any case."""
    expected = item.fields["expected"]
    if isinstance(expected, list | tuple) and expected:
        expected = expected[0]
    if expected is None:
        return Cue(right=f"This is a reply to {item.id}.")
    if isinstance(expected, Mapping):
        return Cue(right="{}", wrong="no idea")
    return Cue(right=_shown(expected), wrong="no idea")


async def _judged(item: Item, completion: Completion, services: Services) -> Grade:
    fields = {
        "question": _prompt(item).text,
        "requirement": item.expected or "",
        "answer": completion.answer,
    }
    question = JudgeQuestion(
        prompt=judge_prompt(_RUBRIC, fields),
        generation=_JUDGING,
        cue=Cue(right="CORRECT", wrong="INCORRECT", judged=(completion.answer, item.expected or "")),
    )
    return await grade_by_judge(services.required_panel(), question)


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


def _shown(expected: Json) -> str:
    return expected if isinstance(expected, str) else json.dumps(expected, ensure_ascii=False)
