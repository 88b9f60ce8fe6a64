"""Writes CSV, and JSON lines with other field names, as lines of a data set."""

import contextlib
import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import orjson

from assay.adapters.datasets.line_check import BOM, MAX_LINE_BYTES, MAX_LINES, TOO_MANY_VALUES, too_many_lines
from assay.domain.calls.messages import Json
from assay.domain.dataset_report import Fault, Report
from assay.domain.errors import BadDatasetError
from assay.domain.json_value import MAX_VALUES, has_too_many_values
from assay.domain.stats import plural
from assay.engine.datasets.files import FieldNames

PROMPT, ANSWER, GRADER = "prompt", "expected", "grader"
_SHOWN = 20


def mapped_lines(file: BinaryIO, names: FieldNames, *, is_csv: bool) -> Iterator[bytes]:
    """Raises BadDatasetError at the first row that does not have the named fields."""
    if is_csv:
        return _from_csv(file, names)
    return _from_json(file, names)


def _from_csv(file: BinaryIO, names: FieldNames) -> Iterator[bytes]:
    csv.field_size_limit(MAX_LINE_BYTES)
    lines = _TableLines(file)
    reader = csv.reader(lines, strict=True)
    try:
        header = next(reader, list[str]())
        _require(header, names, line=1)
        for values in reader:
            lines.end_row()
            if not values:
                continue
            if len(values) != len(header):
                counts = f"{plural(len(values), 'value')} under {plural(len(header), 'column')}"
                raise _bad(reader.line_num, "line", f"has {counts}")
            # An empty cell is no value: a table cannot leave one out.
            yield _line({name: value for name, value in zip(header, values, strict=True) if value}, names)
    except csv.Error as error:
        raise _bad(reader.line_num, "line", f"is not valid CSV: {error}") from error


@dataclass(slots=True)
class _TableLines(Iterator[str]):
    """The lines of a table; a row may have any number of them, but is read into memory."""

    file: BinaryIO
    number: int = 0
    row_bytes: int = 0
    row_values: int = 0

    def end_row(self) -> None:
        self.row_bytes = self.row_values = 0

    def __next__(self) -> str:
        raw = self.file.readline(MAX_LINE_BYTES + 1)
        if not raw:
            raise StopIteration
        self.number += 1
        self.row_bytes += len(raw)
        self.row_values += raw.count(b",")
        if self.number > MAX_LINES:
            raise _bad(self.number, "file", too_many_lines())
        if self.row_bytes > MAX_LINE_BYTES:
            raise _bad(self.number, "line", f"is longer than {MAX_LINE_BYTES // 1024**2} MiB")
        if self.row_values > MAX_VALUES:
            raise _bad(self.number, "line", TOO_MANY_VALUES)
        try:
            return (raw.removeprefix(BOM) if self.number == 1 else raw).decode()
        except UnicodeDecodeError as error:
            raise _bad(self.number, "line", f"byte {error.start + 1:,} is not UTF-8") from error


def _from_json(file: BinaryIO, names: FieldNames) -> Iterator[bytes]:
    number = 0
    while raw := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        content: Json = None
        if not has_too_many_values(raw):
            with contextlib.suppress(orjson.JSONDecodeError):
                content = orjson.loads(raw.removeprefix(BOM) if number == 1 else raw)
        if not isinstance(content, dict):
            # Whatever is wrong with it is told when the lines are checked.
            yield raw
            continue
        if "body" not in content or names.prompt is not None:
            _require(content, names, line=number)
        yield _line(content, names)


def _line(row: Mapping[str, Json], names: FieldNames) -> bytes:
    mapped = {names.prompt or PROMPT: PROMPT, names.answer or ANSWER: ANSWER}
    others = {name: value for name, value in row.items() if name not in {*mapped, PROMPT, ANSWER}}
    own = {ours: row[theirs] for theirs, ours in mapped.items() if theirs in row}
    rule = {} if names.grader is None else {GRADER: names.grader}
    return orjson.dumps({**rule, **own, **others}) + b"\n"


def _require(fields: Iterable[str], names: FieldNames, *, line: int) -> None:
    """What is expected may be missing unless it was named."""
    known = list(fields)
    for wanted in (names.prompt or PROMPT, names.answer):
        if wanted is not None and wanted not in known:
            listed = ", ".join(map(repr, known[:_SHOWN])) + (", …" if len(known) > _SHOWN else "")
            advice = f"name one of {listed or 'none'} with --prompt-field or --answer-field"
            reason = f"there is no such field; {advice}"
            raise _bad(line, wanted, reason)


def _bad(line: int, field: str, reason: str) -> BadDatasetError:
    return BadDatasetError(Report("", 0, 0, errors=(Fault(line, field, reason),), error_count=1))
