"""The three instructions that ask for delimited data."""

import csv
import io
import re
from itertools import islice

from assay.engine.graders.instructions.arguments import Arguments

_CITY_COLUMNS = ["ID", "Country", "City", "Year", "Count"]
_PRODUCT_COLUMNS = ("ProductID", "Category", "Brand", "Price", "Stock")
_STUDENT_COLUMNS = ("StudentID", "Subject", "Grade", "Semester", "Score")
_COLUMNS = 5
_CITIES, _PRODUCTS, _STUDENTS = 7, 14, 3
_SPECIAL = re.compile(r"[^\d\w\s]")


def _header(columns: tuple[str, ...], delimiter: str) -> re.Pattern[str]:
    return re.compile(delimiter.join(f'(?:{name}|"{name}")' for name in columns))


_PRODUCT_HEADER = _header(_PRODUCT_COLUMNS, r",[ \t]*")
_STUDENT_HEADER = _header(_STUDENT_COLUMNS, r"\t *")


def csv_city(response: str, _arguments: Arguments) -> bool:
    rows = _rows(response, most=2 + _CITIES)
    if len(rows) != 1 + _CITIES or rows[0] != _CITY_COLUMNS:
        return False
    return all(len(row) == _COLUMNS for row in rows)


def csv_special_character(response: str, _arguments: Arguments) -> bool:
    if not _PRODUCT_HEADER.fullmatch(_first_line(response)):
        return False
    rows = _rows(_with_kept_quotes(response), most=2 + _PRODUCTS)
    if len(rows) != 1 + _PRODUCTS:
        return False
    for row in rows[1:]:
        if len(row) != _COLUMNS:
            return False
        # Officially the rows after the first with such a field are not looked at.
        if any(map(is_special, row)):
            return True
    return False


def csv_quotes(response: str, _arguments: Arguments) -> bool:
    if not _STUDENT_HEADER.fullmatch(_first_line(response)):
        return False
    rows = _rows(_with_kept_quotes(response), most=2 + _STUDENTS, delimiter="\t")
    if len(rows) != 1 + _STUDENTS:
        return False
    return all(len(row) == _COLUMNS and all(map(_is_quoted, row)) for row in rows)


def _rows(text: str, *, most: int, delimiter: str = ",") -> list[list[str]]:
    """The first rows; none where the text cannot be read: the official scorer crashes there."""
    try:
        return list(islice(csv.reader(io.StringIO(text), delimiter=delimiter), most))
    except csv.Error:
        return []


def _first_line(text: str) -> str:
    return text.split("\n", maxsplit=1)[0].strip()


def _with_kept_quotes(text: str) -> str:
    """Tripled, so that a quoted field keeps its quotes when it is read."""
    return text.replace('"', '"""')


def is_special(field: str) -> bool:
    line = field.split("\n", maxsplit=1)[0]
    return line.startswith('"') and bool(_SPECIAL.search(line, 1, max(line.rfind('"'), 1)))


def _is_quoted(field: str) -> bool:
    # The official scorer crashes on an empty field.
    text = field.strip()
    return text.startswith('"') and text.endswith('"')
