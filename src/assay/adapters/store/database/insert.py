"""Inserting rows by the thousand through the driver's own cursor.

SQLAlchemy would look up and convert every value of every row by name, which costs more than the writing.
Here a row is a sequence in the order of the table's columns, and only columns of our own types are converted.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import chain
from typing import Protocol

import orjson

DriverRow = tuple[object, ...]
Converter = Callable[[object], object]
# SQLite's driver releases the interpreter lock for each statement, and waits for it while the event loop is
# busy: so few statements insert many rows each. A statement may have 32,766 parameters.
_ROWS_PER_STATEMENT = (400, 50, 8, 1)
_PLACES = re.compile(r"\(\?(?:, \?)*\)")


class Cursor(Protocol):
    """A cursor of the driver, which knows how many rows its last statement changed."""

    @property
    def rowcount(self) -> int: ...

    def execute(self, sql: str, parameters: tuple[object, ...], /) -> object: ...

    def close(self) -> None: ...


class HasCursor(Protocol):
    def cursor(self) -> Cursor: ...


class _Pooled(Protocol):
    """A connection of SQLAlchemy, which wraps one of the driver."""

    @property
    def connection(self) -> HasCursor: ...


@dataclass(frozen=True, slots=True)
class PreparedInsert:
    """`columns` is empty where the driver takes rows; else all rows are one document with these names."""

    sql: str
    converters: tuple[tuple[int, Converter], ...]
    columns: tuple[str, ...] = ()

    def converted(self, rows: Sequence[Sequence[object]]) -> list[DriverRow]:
        """The rows as `run` and `write` take them."""
        values = [self._converted(row) for row in rows]
        if not self.columns or not values:
            return values
        document = [dict(zip(self.columns, row, strict=True)) for row in values]
        return [(orjson.dumps(document, default=_plain).decode(),)]

    def run(self, connection: _Pooled, converted: Sequence[DriverRow]) -> int:
        """Like `write`, through a connection of SQLAlchemy."""
        return self.write(connection.connection, converted)

    def write(self, connection: HasCursor, converted: Sequence[DriverRow]) -> int:
        """Returns how many rows were inserted or replaced."""
        cursor = connection.cursor()
        try:
            return sum(self._insert(cursor, part) for part in _parts(converted))
        finally:
            cursor.close()

    def _insert(self, cursor: Cursor, rows: Sequence[DriverRow]) -> int:
        cursor.execute(_of_many(self.sql, len(rows)), tuple(chain.from_iterable(rows)))
        return cursor.rowcount

    def _converted(self, row: Sequence[object]) -> DriverRow:
        values = list(row)
        for index, convert in self.converters:
            if values[index] is not None:
                values[index] = convert(values[index])
        return tuple(values)


@cache
def _of_many(sql: str, rows: int) -> str:
    values = _PLACES.search(sql)
    return sql if rows == 1 or values is None else sql.replace(values[0], ", ".join([values[0]] * rows))


def _parts(rows: Sequence[DriverRow]) -> Iterator[Sequence[DriverRow]]:
    start = 0
    for size in _ROWS_PER_STATEMENT:
        while len(rows) - start >= size:
            yield rows[start : start + size]
            start += size


def _plain(value: object) -> str:
    """Text that Postgres reads as the type of the column."""
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be stored")
