"""Rows of a data file, one at a time: JSON lines (plain, gzip, zstd), Parquet, CSV, and archives of texts."""

import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import BinaryIO, cast

import orjson
import zstandard

from assay.adapters.datasets.documents import ARCHIVE, document_rows
from assay.adapters.datasets.parquet import parquet_rows
from assay.adapters.datasets.zstd import ZstdStream
from assay.domain.benchmark import Row
from assay.domain.errors import BadRowError
from assay.domain.stats import plural

# A longer line is a mistake or an attack: lines are read into memory. The hidden tests of a programming
# problem take tens of MB in one line.
MAX_LINE_BYTES = 512 * 1024 * 1024
# JSON lines are packed to a tenth or a fiftieth.
_MAX_RATIO = 200
_ALWAYS_ALLOWED_BYTES = 64 * 1024 * 1024
JSON_LINES = tuple(kind + packed for kind in (".jsonl", ".json") for packed in ("", ".gz", ".zst"))
PARQUET = ".parquet"
CSV = ".csv"

_MAX_FIELD_CHARACTERS = 16 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_DAMAGE = (gzip.BadGzipFile, EOFError, zlib.error, zstandard.ZstdError)


def format_of(path: Path) -> str | None:
    """The suffix that says how the file is read, or None if Assay cannot read it."""
    name = path.name.lower()
    for suffix in (*JSON_LINES, PARQUET, CSV, ARCHIVE):
        if name.endswith(suffix):
            return suffix
    return None


def rows_of(path: Path) -> Iterator[Row]:
    """Every row of the file; a row that cannot be used raises BadRowError with the file and the line."""
    kind = format_of(path)
    if kind == ARCHIVE or path.is_dir():
        return document_rows(path)
    if kind == CSV:
        return _csv_rows(path)
    return parquet_rows(path) if kind == PARQUET else _json_rows(path)


def _csv_rows(path: Path) -> Iterator[Row]:
    """Every value is a text under the name of its column."""
    csv.field_size_limit(_MAX_FIELD_CHARACTERS)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            header = next(reader, list[str]())
            for values in reader:
                if not values:
                    continue
                if len(values) != len(header):
                    fault = f"{plural(len(values), 'value')} under {plural(len(header), 'column')}"
                    raise BadRowError(path.name, reader.line_num, fault)
                yield dict(zip(header, values, strict=True))
        except csv.Error as error:
            raise BadRowError(path.name, reader.line_num, f"not valid CSV: {error}") from error
        except UnicodeDecodeError as error:
            raise BadRowError(path.name, reader.line_num + 1, f"not UTF-8: {error.reason}") from error


def _json_rows(path: Path) -> Iterator[Row]:
    with _opened(path) as stream:
        for number, line in _lines(stream, path):
            if not line.isspace():
                yield _row(path.name, number, line)


def _opened(path: Path) -> BinaryIO:
    name = path.name.lower()
    if name.endswith(".gz"):
        return cast("BinaryIO", gzip.open(path))  # gzip.open returns a binary stream by default
    if name.endswith(".zst"):
        return io.BufferedReader(ZstdStream(path.open("rb")))
    return path.open("rb")


def _lines(stream: BinaryIO, path: Path) -> Iterator[tuple[int, bytes]]:
    left = max(_ALWAYS_ALLOWED_BYTES, path.stat().st_size * _MAX_RATIO)
    for number in count(1):
        try:
            line = stream.readline(min(MAX_LINE_BYTES, left) + 1)
        except _DAMAGE as error:
            raise BadRowError(path.name, number, f"the compressed data is damaged: {error}") from error
        if not line:
            return
        if len(line) > left:
            fault = f"the file unpacks to more than {_MAX_RATIO} times its size"
            raise BadRowError(path.name, number, fault)
        if len(line) > MAX_LINE_BYTES:
            raise BadRowError(path.name, number, f"the line is longer than {MAX_LINE_BYTES // 1024**2} MB")
        left -= len(line)
        yield number, line.removeprefix(_BOM) if number == 1 else line


def _row(name: str, number: int, line: bytes) -> Row:
    try:
        value: object = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadRowError(name, number, _reason(line, error)) from error
    if not isinstance(value, dict):
        raise BadRowError(name, number, f"a JSON object was expected, not {type(value).__name__}")
    return cast("Row", value)  # orjson returns JSON values, whose keys are strings


def _reason(line: bytes, error: orjson.JSONDecodeError) -> str:
    try:
        line.decode()
    except UnicodeDecodeError as fault:
        return f"not UTF-8: byte {fault.start + 1} of the line is {line[fault.start]:#04x}"
    return f"not valid JSON: {error.msg} (column {error.colno})"
