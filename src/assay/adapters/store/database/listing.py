"""Short lists of rows, read in one step.

SQLite's driver releases the interpreter lock for every row that it fetches. With hundreds of calls in flight
it takes up to milliseconds to get the lock back each time, so SQLite gives the rows as one JSON text.
"""

from collections import namedtuple
from collections.abc import Mapping, Sequence
from typing import Any

import orjson
from sqlalchemy import Connection, Select, func, select
from sqlalchemy.dialects import sqlite

_SQLITE = sqlite.dialect()


class Listing:
    """A statement that is built once: building it takes longer than running it.

    Its columns are of text and whole numbers; JSON could not hold others as they are.
    """

    def __init__(self, statement: Select[*tuple[Any, ...]]) -> None:
        found = statement.subquery()
        self._statement = statement
        self._as_text = select(func.json_group_array(func.json_array(*found.c)))
        self._restore = [column.type.result_processor(_SQLITE, None) for column in found.c]
        self._row = namedtuple("Row", found.c.keys())  # noqa: PYI024 # pyright: ignore[reportUntypedNamedTuple] # only the statement knows the names

    def rows(self, connection: Connection, parameters: Mapping[str, object]) -> Sequence[Any]:
        """In the order of the statement, with a name for each column."""
        if connection.dialect.name != _SQLITE.name:
            return connection.execute(self._statement, parameters).all()
        text = connection.execute(self._as_text, parameters).scalar_one()
        return [self._row._make(map(_restored, row, self._restore)) for row in orjson.loads(text)]


def _restored(value: Any, restore: Any) -> Any:  # noqa: ANN401 # any column and its processor
    return value if restore is None else restore(value)
