"""INSERT statements compiled once, for rows that are written by the thousand.

SQLAlchemy would look up and convert every value of every row by name, which costs more than the writing.
Here a row is a sequence in the order of the table's columns, and only columns of our own types are converted.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import chain
from typing import Literal

import orjson
from sqlalchemy import (
    JSON,
    ColumnClause,
    Connection,
    Table,
    Text,
    bindparam,
    cast,
    func,
    literal_column,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.types import TypeDecorator

DriverRow = tuple[object, ...]
_Converter = Callable[[object], object]
# SQLite gives the interpreter away for each statement, and then waits for it while the event loop is busy: so
# few statements of many rows. The largest stays below the 32,766 parameters one may have.
_ROWS_PER_STATEMENT = (400, 50, 8, 1)
_PLACES = re.compile(r"\(\?(?:, \?)*\)")


@dataclass(frozen=True, slots=True)
class PreparedInsert:
    """`columns` is empty for a driver that takes rows; for the other, names in one document of all rows."""

    sql: str
    converters: tuple[tuple[int, _Converter], ...]
    columns: tuple[str, ...] = ()

    def converted(self, rows: Sequence[Sequence[object]]) -> list[DriverRow]:
        """What `run` takes."""
        values = [self._converted(row) for row in rows]
        if not self.columns or not values:
            return values
        document = [dict(zip(self.columns, row, strict=True)) for row in values]
        return [(orjson.dumps(document, default=_plain).decode(),)]

    def run(self, connection: Connection, converted: Sequence[DriverRow]) -> int:
        """How many rows were inserted or replaced."""
        # The driver's own cursor: SQLAlchemy takes longer to prepare a statement than SQLite to run it.
        cursor = connection.connection.cursor()
        try:
            return sum(self._insert(cursor, part) for part in _parts(converted))
        finally:
            cursor.close()

    def _insert(self, cursor: DBAPICursor, rows: Sequence[DriverRow]) -> int:
        cursor.execute(_of_many(self.sql, len(rows)), tuple(chain.from_iterable(rows)))
        return cursor.rowcount

    def _converted(self, row: Sequence[object]) -> DriverRow:
        values = list(row)
        for index, convert in self.converters:
            if values[index] is not None:
                values[index] = convert(values[index])
        return tuple(values)


def prepared_insert(
    table: Table, dialect: str, *, on_conflict: Literal["leave", "replace"] = "leave"
) -> PreparedInsert:
    """For the database of this name; a row whose key exists is left or replaced."""
    return _compiled(table, dialect, on_conflict)


@cache
def _compiled(table: Table, dialect: str, on_conflict: str) -> PreparedInsert:
    if dialect == "postgresql":
        insert, positional = _insert_of_document(table), PGDialect_psycopg(paramstyle="format")
    else:
        insert, positional = sqlite.insert(table), SQLiteDialect_pysqlite(paramstyle="qmark")
    if on_conflict == "leave":
        statement = insert.on_conflict_do_nothing()
    else:
        others = {column.name: insert.excluded[column.name] for column in table.c if not column.primary_key}
        statement = insert.on_conflict_do_update(index_elements=table.primary_key.columns, set_=others)
    converters = tuple(
        (index, converter)
        for index, column in enumerate(table.c)
        if isinstance(column.type, TypeDecorator) and (converter := column.type.bind_processor(positional))
    )
    names = tuple(str(column.name) for column in table.c) if dialect == "postgresql" else ()
    return PreparedInsert(str(statement.compile(dialect=positional)), converters, names)


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


def _insert_of_document(table: Table) -> postgresql.Insert:
    """All rows in one JSON document: ten times less work for the driver than a statement for each row."""
    columns: list[ColumnClause[object]] = [literal_column(column.name) for column in table.c]
    document = cast(bindparam("rows", type_=Text), JSON)
    rows = func.json_populate_recordset(literal_column(f"NULL::{table.name}"), document)
    return postgresql.insert(table).from_select(
        [column.name for column in table.c], select(*columns).select_from(rows), include_defaults=False
    )


def _plain(value: object) -> str:
    """Text that Postgres reads as the type of the column."""
    if isinstance(value, bytes):
        return f"\\x{value.hex()}"
    if isinstance(value, Decimal):
        return str(value)
    raise TypeError(f"{type(value).__name__} cannot be stored")
