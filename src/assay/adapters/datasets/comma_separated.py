"""Rows of a CSV file, every value a text under its column's name."""

import csv
from collections.abc import Iterator
from pathlib import Path

from assay.domain.benchmark import Row
from assay.domain.errors import BadRowError

CSV = ".csv"
_MAX_FIELD_CHARACTERS = 16 * 1024 * 1024


def csv_rows(path: Path) -> Iterator[Row]:
    csv.field_size_limit(_MAX_FIELD_CHARACTERS)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        try:
            header = next(reader, list[str]())
            for values in reader:
                if not values:
                    continue
                if len(values) != len(header):
                    fault = f"{len(values)} values under {len(header)} columns"
                    raise BadRowError(path.name, reader.line_num, fault)
                yield dict(zip(header, values, strict=True))
        except csv.Error as error:
            raise BadRowError(path.name, reader.line_num, f"not valid CSV: {error}") from error
        except UnicodeDecodeError as error:
            raise BadRowError(path.name, reader.line_num + 1, f"not UTF-8: {error.reason}") from error
