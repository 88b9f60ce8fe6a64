"""Searching for substrings without regard to case, with the same result on both databases."""

import string
from typing import Any

from sqlalchemy import ColumnElement, collate, func

from assay.adapters.store.database.stored_values import storable

# SQLite ignores case for ASCII letters only.
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def contains(column: ColumnElement[Any], part: str, dialect: str) -> ColumnElement[bool]:
    """Does not use LIKE: the part may contain its wildcards."""
    wanted = storable(part.translate(_LOWER))
    if dialect == "postgresql":
        return func.strpos(func.lower(collate(column, "C")), wanted) > 0
    return func.instr(func.lower(column), wanted) > 0
