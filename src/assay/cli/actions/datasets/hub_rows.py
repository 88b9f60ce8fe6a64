"""A data set on the Hugging Face hub as a data set of the user's own, made of two of its columns."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import orjson

from assay.bootstrap import hub_rows, opened_engine
from assay.cli.event_loop import run_async
from assay.cli.output.write import write_note
from assay.domain.benchmark import Row
from assay.domain.dataset_report import Grading
from assay.domain.datasets.dataset import DataSet, name_of_file
from assay.domain.errors import BadRowError, InvalidValueError
from assay.domain.json_value import Json
from assay.domain.stats import plural
from assay.engine.datasets.files import FieldNames
from assay.engine.datasets.uploads import Upload
from assay.engine.execution.engine import Engine
from assay.engine.one_file.files import HUB_PREFIX, HubSplit, Rows
from assay.settings import load_settings

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class HubColumns:
    """Which split to fetch, what its columns mean, and how answers are graded."""

    prompt: str | None = None
    answer: str | None = None
    grading: Grading = Grading.EXACT
    rule: Json = None
    config: str | None = None
    split: str = "test"
    revision: str | None = None


def added_from_hub(benchmarks: tuple[str, ...], columns: HubColumns) -> tuple[str, ...]:
    """The names, with `dataset:NAME@VERSION` for each `hf:org/name`; the same rows are added once."""
    wanted = [name for name in benchmarks if name.startswith(HUB_PREFIX)]
    if not wanted:
        if columns != HubColumns():
            raise InvalidValueError(
                "--prompt-field, --answer-field, --grader, --config, --split and --revision are about"
                " hf:org/name, and no such data set is named"
            )
        return benchmarks
    if columns.prompt is None:
        raise InvalidValueError(f"name the column of {wanted[0]!r} that holds the prompt: --prompt-field")
    added = run_async(_added(wanted, columns))
    return tuple(added[name].benchmark if name in added else name for name in benchmarks)


async def _added(names: list[str], columns: HubColumns) -> dict[str, DataSet]:
    settings = load_settings()
    found: dict[str, DataSet] = {}
    async with opened_engine(settings) as engine:
        for name in names:
            repository = name.removeprefix(HUB_PREFIX)
            split = HubSplit(repository, columns.split, columns.config, columns.revision)
            rows = await asyncio.to_thread(hub_rows(settings).rows, split)
            found[name] = await _stored(engine, split, rows, columns)
            write_note(
                f"{rows.revision}: {plural(len(rows.rows), 'row')}, as {found[name].benchmark}", err=True
            )
    return found


async def _stored(engine: Engine, split: HubSplit, rows: Rows, columns: HubColumns) -> DataSet:
    parts = filter(None, (split.repository.replace("/", "--"), split.config, split.split))
    # The name of the file says where the rows came from, with the commit.
    upload = Upload(
        f"{rows.revision.replace('/', ' ')}.jsonl",
        name_of_file("--".join(parts)),
        columns.grading,
        fields=FieldNames(grader=columns.rule),
    )
    incoming = engine.planner.dataset_files.new()
    try:
        for line in _lines(rows, columns):
            incoming.write(line)
        dataset, _ = await engine.uploads.store(incoming, upload)
        return dataset
    finally:
        incoming.close()


def _lines(rows: Rows, columns: HubColumns) -> Iterator[bytes]:
    for number, row in enumerate(rows.rows, start=1):
        line: dict[str, Json] = {"prompt": _value(rows, number, row, columns.prompt or "")}
        if columns.answer is not None:
            line["expected"] = _value(rows, number, row, columns.answer)
        yield orjson.dumps(line) + b"\n"


def _value(rows: Rows, number: int, row: Row, column: str) -> Json:
    if column not in row:
        listed = ", ".join(list(row)[:_SHOWN])
        raise BadRowError(rows.revision, number, f"there is no column {column!r}; it has {listed}")
    return row[column]
