"""A task of lm-eval as a benchmark."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeVar, cast

from assay.domain.benchmark import (
    Ask,
    Card,
    Cue,
    Grade,
    Item,
    ItemId,
    ItemSet,
    Result,
    Row,
    Services,
    Tables,
)
from assay.domain.benchmark import Source as CardSource
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.datasets.benchmark_file import PREFIX, BenchmarkFile
from assay.domain.errors import AssayError, BadRowError, DataMissingError, InvalidValueError
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate, score_estimate
from assay.engine.one_file.benchmark import CATEGORY, HASH_SHOWN, own_data
from assay.engine.one_file.files import HubSplit, RowReader, Rows
from assay.engine.one_file.lm_eval.examples import examples
from assay.engine.one_file.lm_eval.scoring import Scored, score_replies
from assay.engine.one_file.lm_eval.task import Task
from assay.engine.one_file.lm_eval.templates import answer_of, joined, rendered, text_of
from assay.engine.ports import BenchmarkData

T = TypeVar("T")
VERSION = "1"
_CHAT = (
    "The prompt is what lm-eval sends to chat endpoints with chat templates: the description as the"
    " system message, and each example as a turn."
)
_DEVIATIONS = (
    _CHAT,
    "Every reply is cut at the first of the task's stop texts, also where an endpoint does not stop there.",
)


@dataclass(frozen=True, slots=True)
class _Splits:
    by_name: Mapping[str, Sequence[Row]]

    def rows(self, split: str) -> Iterator[Row]:
        if split not in self.by_name:
            raise DataMissingError(f"the data has no split {split!r}")
        return iter(self.by_name[split])


@dataclass(frozen=True, slots=True)
class LmEvalBenchmark:
    task: Task
    file: BenchmarkFile
    folder: str
    reader: RowReader

    @property
    def card(self) -> Card:
        task, version = self.task, self.file.sha256[:HASH_SHOWN]
        return Card(
            name=f"{PREFIX}{task.name}",
            title=task.name,
            version=version,
            description=f"The task {task.name} of lm-eval, as its file says.",
            licence="yours",
            source=CardSource(task.name, self.file.sha256, ()),
            size=0,
            metric=f"exact_match,{task.filters[0].name}",
            chance=0.0,
            mode="variant",
            deviations=_DEVIATIONS,
            grader=f"lm-eval exact_match {VERSION}; {version}",
            generation=task.generation,
            typical_output_tokens=(16, task.generation.max_tokens or 1_024),
            typical_calls=(task.repeats, task.repeats),
            category=CATEGORY,
        )

    @property
    def limits(self) -> str:
        return "one prompt, one completion" if self.task.repeats == 1 else f"{self.task.repeats} completions"

    def own_data(self, where: str) -> BenchmarkData:
        if where != "official":
            raise InvalidValueError(
                f"{self.card.name!r} names its data itself; {where!r} cannot take its place"
            )
        names = dict.fromkeys((self.task.split, *filter(None, [self._example_split()])))
        found = {name: self._rows(name) for name in names}
        together = Rows(
            list(chain.from_iterable(one.rows for one in found.values())),
            ", ".join(dict.fromkeys(one.revision for one in found.values())),
        )
        splits = _Splits({name: one.rows for name, one in found.items()})
        return BenchmarkData(splits, (data := own_data(together)).revision, data.checksum)

    def _example_split(self) -> str | None:
        few_shot = self.task.few_shot
        if not few_shot.count or (few_shot.samples and few_shot.split is None):
            return None
        return few_shot.split or self.task.split

    def _rows(self, split: str) -> Rows:
        source = self.task.source
        if source.repository is not None:
            return self.reader.of_hub(HubSplit(source.repository, split, source.config, source.revision))
        if split not in source.files:
            raise DataMissingError(
                f"{self.card.name!r} needs the split {split!r}, and its data_files have"
                f" {', '.join(source.files)}"
            )
        found = [self.reader.of_file(path, folder=self.folder) for path in source.files[split]]
        return Rows(
            list(chain.from_iterable(one.rows for one in found)), ", ".join(one.revision for one in found)
        )

    def load(self, tables: Tables) -> ItemSet:
        questions = list(tables.rows(self.task.split))
        if not questions:
            raise DataMissingError(f"{self.card.name!r} has no rows")
        split, few_shot = self._example_split(), self.task.few_shot
        pool = list(tables.rows(split)) if split is not None else list(few_shot.samples)
        fields = frozenset(questions[0])
        # By the first row it is decided for all whether several answers are right.
        has_several = isinstance(self._of_row(0, questions[0], self._target, fields), list)
        drawn = examples(few_shot, pool, questions)
        items: list[Item] = []
        for number, row in enumerate(questions):
            shown = self._of_row(number, row, lambda _row, _fields: next(drawn), fields)
            items.append(self._item(number, row, shown, fields, has_several=has_several))
        converse = self._repeated if self.task.repeats > 1 else None
        return ItemSet(tuple(items), _prompt, _cue, kept=self._cut, converse=converse)

    def _of_row(
        self, number: int, row: Row, read: Callable[[Row, frozenset[str]], T], fields: frozenset[str]
    ) -> T:
        try:
            return read(row, fields)
        except AssayError as error:
            raise BadRowError(self.card.name, number + 1, error.message) from error

    def _item(
        self, number: int, row: Row, shown: Sequence[Row], fields: frozenset[str], *, has_several: bool
    ) -> Item:
        def messages(row: Row, fields: frozenset[str]) -> list[Json]:
            return list(self._messages(row, shown, fields))

        target = self._of_row(number, row, self._target, fields)
        targets: list[Json] = [str(target)]
        if has_several:
            if not isinstance(target, list | str):
                fault = "its target is no list, and that of the first row is one"
                raise BadRowError(self.card.name, number + 1, fault)
            targets = [str(one) for one in cast("Sequence[object]", target)]
        return Item(
            id=ItemId(str(number)),
            fields={"messages": self._of_row(number, row, messages, fields), "targets": targets, "doc": row},
            expected=str(targets[0]) if len(targets) == 1 else json.dumps(targets, ensure_ascii=False),
        )

    def _target(self, row: Row, fields: frozenset[str]) -> object:
        return answer_of(self.task.target, self.task.choices, row, fields)

    def _messages(self, row: Row, shown: Sequence[Row], fields: frozenset[str]) -> Iterator[Json]:
        task, few_shot = self.task, self.task.few_shot
        description = task.description and (
            str(row[task.description]) if task.description in row else rendered(task.description, row)
        )
        if description:
            yield {"role": "system", "content": description}
        for one in shown:
            yield {"role": "user", "content": text_of(few_shot.text, one, fields)}
            found = answer_of(few_shot.target, few_shot.choices, one, fields, may_be_text=True)
            prefix = few_shot.gen_prefix and text_of(few_shot.gen_prefix, one, frozenset(one))
            answer = joined(prefix, _first_of(found))
            if answer:
                yield {"role": "assistant", "content": answer}
        asked = text_of(task.text, row, fields)
        if task.choices is not None and asked.isdecimal():
            raise InvalidValueError(
                f"doc_to_text gives the number {asked}: questions that differ by choice are not supported"
            )
        yield {"role": "user", "content": asked}
        begun = task.gen_prefix and text_of(task.gen_prefix, row, fields)
        if begun:
            yield {"role": "assistant", "content": begun}

    def _cut(self, reply: str) -> str:
        for stop in self.task.stops:
            reply = reply.partition(stop)[0]
        return reply

    async def _repeated(self, item: Item, ask: Ask, services: Services) -> Completion:
        """Several replies to one question, as a JSON list: the filters read them together."""
        _ = services
        prompt, cue = _prompt(item), _cue(item)
        replies = [(await ask(prompt, cue=cue)).answer for _ in range(self.task.repeats)]
        return Completion(json.dumps(replies, ensure_ascii=False))

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        replies = [completion.answer]
        if self.task.repeats > 1:
            replies = _replies(completion.answer)
        targets = [str(one) for one in cast("Sequence[Json]", item.fields["targets"])]
        scored = await services.required_isolated()(
            score_replies, self.task.filters, self.task.metric, replies, targets
        )
        first = scored[0]
        outcome = Outcome.CORRECT if first.score else Outcome.INCORRECT
        if not first.score and not first.is_valid:
            outcome = Outcome.UNPARSED
        names = (one.name for one in self.task.filters)
        return Grade(
            outcome,
            first.score,
            extracted=first.filtered,
            explanation=_explained(first),
            details={"filters": {name: _details(one) for name, one in zip(names, scored, strict=True)}},
        )

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        """The score of each filter after the first, which is that of the benchmark."""
        found: dict[str, Estimate] = {}
        for one in self.task.filters[1:]:
            values = [value for result in results if (value := _score(result, one.name)) is not None]
            estimate = score_estimate(values)
            if estimate is not None:
                found[f"exact_match,{one.name}"] = estimate
        return found


def _first_of(target: object) -> str:
    """The first, where several answers are right."""
    targets = cast("list[object]", target) if isinstance(target, list) else [target]
    return "" if not targets or targets[0] is None else str(targets[0])


def _score(result: Result, name: str) -> float | None:
    """A reply without a verdict of the filters, such as a refusal, is wrong by all of them."""
    if not result.outcome.is_verdict:
        return None
    filters = result.details.get("filters")
    one = filters.get(name) if isinstance(filters, Mapping) else None
    score = one.get("score") if isinstance(one, Mapping) else None
    return float(score) if isinstance(score, int | float) else 0.0


def _details(one: Scored) -> Json:
    return {"filtered": one.filtered, "score": one.score}


def _explained(one: Scored) -> str:
    if one.score:
        return "what the filter left equals the target"
    return "what the filter left differs from the target" if one.is_valid else "the filter found nothing"


def _replies(answer: str) -> list[str]:
    try:
        value: Json = json.loads(answer)
    except ValueError:
        return [answer]
    return [str(one) for one in value] if isinstance(value, list) and value else [answer]


def _prompt(item: Item) -> Prompt:
    return Prompt.of_body({"messages": item.fields["messages"]})


def _cue(item: Item) -> Cue:
    targets = cast("Sequence[str]", item.fields["targets"])
    return Cue(right=targets[0] if targets else "", wrong="no idea")
