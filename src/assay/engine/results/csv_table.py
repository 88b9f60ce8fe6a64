"""Rows of a table as CSV, in which no text is a formula."""

import csv
import io
from collections.abc import Sequence

# Characters that start a formula in a spreadsheet.
_EXECUTED = ("=", "+", "-", "@", "\t", "\r")
_ESCAPED = "escaped"


class CsvTable:
    """Texts that a spreadsheet would execute get an apostrophe in front.

    The last column, `escaped`, names the columns of the row in which that was done, so that it can be undone.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self._columns = columns

    @property
    def header(self) -> str:
        return _line((*self._columns, _ESCAPED))

    def row(self, values: Sequence[object]) -> str:
        escaped = [
            name
            for name, value in zip(self._columns, values, strict=True)
            if isinstance(value, str) and value.startswith(_EXECUTED)
        ]
        return _line((*map(_cell, values), " ".join(escaped)))


def _line(cells: Sequence[object]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def _cell(value: object) -> object:
    """Only None becomes an empty cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.startswith(_EXECUTED):
        return f"'{value}"
    return value
