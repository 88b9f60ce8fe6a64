"""A declared benchmark as one that can be run."""

import asyncio
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from assay.domain.benchmark import (
    Card,
    Cue,
    Grade,
    Item,
    ItemId,
    ItemSet,
    Result,
    Row,
    Services,
    Source,
    Tables,
)
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.dataset_report import Grading
from assay.domain.datasets.benchmark_file import PREFIX, BenchmarkFile
from assay.domain.datasets.grading_rule import needs_of, rules_json
from assay.domain.errors import AssayError, BadRowError, DataMissingError, GraderError, InvalidValueError
from assay.domain.json_value import Json, canonical_json
from assay.domain.stats import Estimate
from assay.engine.graders.rules.combined import Asked, grade_by_rules, shown
from assay.engine.graders.rules.expected import VERSION, expectation_fault
from assay.engine.graders.rules.programs import graded_by_value
from assay.engine.one_file.declaration import Declaration
from assay.engine.one_file.files import HUB_PREFIX, HubSplit, RowReader, Rows
from assay.engine.one_file.template import filled
from assay.engine.ports import BenchmarkData

CATEGORY = "Your own files"
_OUTPUT_TOKENS = (16, 1_024)
HASH_SHOWN = 12
# Fields of an item that are not those of its row.
_BODY, _RULES, _EXPECTED, _ROW = "body", "grader", "expected", "row"


@dataclass(frozen=True, slots=True)
class OwnRows:
    """Rows that a file brings with it, for any split."""

    given: Sequence[Row]

    def rows(self, split: str) -> Iterator[Row]:
        _ = split
        return iter(self.given)


def own_data(rows: Rows) -> BenchmarkData:
    """Identified by every value of every row."""
    checksum = sha256()
    for number, row in enumerate(rows.rows, start=1):
        try:
            checksum.update(canonical_json(row) + b"\n")
        except (TypeError, ValueError) as error:
            raise BadRowError(rows.revision, number, f"has a value that is not JSON: {error}") from error
    return BenchmarkData(OwnRows(rows.rows), f"own:{rows.revision}", checksum.hexdigest())


@dataclass(frozen=True, slots=True)
class FileBenchmark:
    declaration: Declaration
    file: BenchmarkFile
    folder: str
    reader: RowReader

    @property
    def card(self) -> Card:
        one = self.declaration
        graders = ", ".join(sorted({rule.grader.value for rule in one.rules})) or "its own function"
        return Card(
            name=f"{PREFIX}{one.name}",
            title=one.name,
            version=self.file.sha256[:HASH_SHOWN],
            description=one.description,
            licence="yours",
            source=Source(one.name, self.file.sha256, ()),
            size=0,
            metric="mean score",
            chance=one.chance,
            mode="variant",
            deviations=(),
            grader=f"{graders} {VERSION}; {self.file.sha256[:HASH_SHOWN]}",
            generation=one.generation,
            typical_output_tokens=_OUTPUT_TOKENS,
            category=CATEGORY,
            needs=needs_of({rule.grader: 1 for rule in one.rules}),
        )

    def own_data(self, where: str) -> BenchmarkData:
        if where == "demo":
            raise InvalidValueError(f"{self.card.name!r} is a file of your own: it has no demo items")
        return own_data(self._rows() if where == "official" else self.reader.of_file(where, folder="."))

    def _rows(self) -> Rows:
        one, given = self.declaration, self.declaration.rows
        if isinstance(given, str) and given.startswith(HUB_PREFIX):
            repository = given.removeprefix(HUB_PREFIX)
            return self.reader.of_hub(HubSplit(repository, one.split, one.config, one.revision))
        if isinstance(given, str):
            return self.reader.of_file(given, folder=self.folder)
        rows = list(given() if callable(given) else given)
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] # the user's own
                raise BadRowError(one.name, number, f"a row must be a dictionary, not {type(row).__name__}")
        return Rows(rows, "rows of the file itself")

    def load(self, tables: Tables) -> ItemSet:
        items: dict[ItemId, Item] = {}
        for number, row in enumerate(tables.rows("rows"), start=1):
            item = self._item(number, row)
            if item.id in items:
                raise BadRowError(self.card.name, number, f"its id {item.id!r} is that of a row before it")
            items[item.id] = item
        if not items:
            raise DataMissingError(f"{self.card.name!r} has no rows")
        return ItemSet(tuple(items.values()), _prompt, _cue)

    def _item(self, number: int, row: Row) -> Item:
        one = self.declaration
        try:
            body: Json = {"messages": self._messages(row)}
            expected = None if one.expected is None else _field(row, one.expected)
            self._check_expected(expected)
            return Item(
                id=ItemId(_id_of(row, one.item_id, number)),
                fields={
                    _BODY: body,
                    _RULES: rules_json(one.rules) if one.rules else None,
                    _EXPECTED: expected,
                    _ROW: row,
                },
                expected=None if expected is None else shown(expected),
                category=None if one.category is None else shown(_field(row, one.category)),
                cluster=None if one.cluster is None else shown(_field(row, one.cluster)),
            )
        except AssayError as error:
            raise BadRowError(self.card.name, number, error.message) from error
        except Exception as error:
            fault = f"its prompt cannot be made: {type(error).__name__}: {error}"
            raise BadRowError(self.card.name, number, fault) from error

    def _messages(self, row: Row) -> list[Json]:
        one = self.declaration
        made = one.prompt(row) if callable(one.prompt) else filled(one.prompt, row)
        messages: list[Json] = [{"role": "user", "content": made}] if isinstance(made, str) else list(made)
        if one.system is not None:
            messages.insert(0, {"role": "system", "content": filled(one.system, row)})
        return messages

    def _check_expected(self, expected: Json) -> None:
        for rule in self.declaration.rules:
            own = expected if rule.expected is None else rule.expected
            if rule.needs_expected and (fault := expectation_fault(rule.grader, own)):
                raise InvalidValueError(f"what is expected {fault}")

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        if self.declaration.rules:
            asked = Asked(_prompt(item).text, item.fields[_EXPECTED])
            return await grade_by_rules(self.declaration.rules, asked, completion, services)
        known = {
            "answer": completion.answer,
            "expected": item.fields[_EXPECTED],
            "row": item.fields[_ROW],
            "completion": completion,
        }
        arguments = {name: known[name] for name in self.declaration.parameters}
        value = await _called(self.declaration, arguments)
        return value if isinstance(value, Grade) else graded_by_value(value, f"{self.declaration.name}()")

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        """Of the declared metrics; one that fails is a fault of the file, and none of its run."""
        found: dict[str, Estimate] = {}
        if not results:
            return found
        for name, metric in self.declaration.metrics.items():
            try:
                value = float(metric(results))
            except Exception as error:
                raise InvalidValueError(
                    f"the metric {name!r} of {self.card.name!r} failed: {type(error).__name__}: {error}"
                ) from error
            found[name] = Estimate(value, None, None, len(results))
        return found


async def _called(declaration: Declaration, arguments: Mapping[str, object]) -> object:
    """A slow grader must not hold up the times of other calls, so it runs in a thread."""
    try:
        if inspect.iscoroutinefunction(declaration.function):
            return await declaration.function(**arguments)
        return await asyncio.to_thread(declaration.function, **arguments)
    except AssayError:
        raise
    except Exception as error:
        fault = f"{type(error).__name__}: {error}"
        raise GraderError(f"the grader {declaration.name}() failed: {fault}") from error


def _field(row: Row, name: str) -> Json:
    if name not in row:
        raise InvalidValueError(f"the row has no field {name!r}; it has {', '.join(row) or 'none'}")
    return row[name]


def _id_of(row: Row, field: str | None, number: int) -> str:
    if field is not None:
        return shown(_field(row, field))
    return shown(row["id"]) if row.get("id") is not None else f"row-{number}"


def _prompt(item: Item) -> Prompt:
    body = item.fields[_BODY]
    return Prompt.of_body(body if isinstance(body, Mapping) else {})


def _cue(item: Item) -> Cue:
    """A simulated model knows what is expected, where the file says it."""
    expected = item.fields[_EXPECTED]
    if isinstance(expected, list | tuple) and expected and item.fields[_RULES] != Grading.JSON:
        expected = expected[0]
    return Cue(right=shown(expected) or f"This is a reply to {item.id}.", wrong="no idea")
