"""Substrings in any case, with the same answer from both databases."""

from typing import Any

from sqlalchemy import ColumnElement, collate, func

from assay.adapters.store.rules import folded
from assay.adapters.store.stored_values import storable


def contains(column: ColumnElement[Any], part: str, dialect: str) -> ColumnElement[bool]:
    """Not LIKE: the part may hold its wildcards, and to escape them costs more than to look for them."""
    wanted = storable(folded(part))
    if dialect == "postgresql":
        return func.strpos(func.lower(collate(column, "C")), wanted) > 0
    return func.instr(func.lower(column), wanted) > 0
