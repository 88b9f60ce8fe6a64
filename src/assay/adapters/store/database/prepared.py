"""INSERT statements compiled once, for rows that are written by the thousand."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

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
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.types import TypeDecorator

from assay.adapters.store.database.insert import PreparedInsert

if TYPE_CHECKING:
    from sqlalchemy.dialects import postgresql


def prepared_insert(
    table: Table, dialect: str, *, on_conflict: Literal["leave", "replace"] = "leave"
) -> PreparedInsert:
    """The statement for this SQL dialect; `on_conflict` says what happens to a row whose key exists."""
    return _compiled(table, dialect, on_conflict)


def insert_rows(
    connection: Connection,
    table: Table,
    rows: Sequence[Sequence[object]],
    *,
    on_conflict: Literal["leave", "replace"] = "leave",
) -> int:
    """Write rows, given in the order of the table's columns; returns how many were inserted or replaced."""
    insert = prepared_insert(table, connection.dialect.name, on_conflict=on_conflict)
    return insert.run(connection, insert.converted(rows))


@cache
def _compiled(table: Table, dialect: str, on_conflict: str) -> PreparedInsert:
    if dialect == "postgresql":
        # Importing it takes a tenth of a command's start, and SQLite does without.
        from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg  # noqa: PLC0415

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


def _insert_of_document(table: Table) -> "postgresql.Insert":
    """All rows in one JSON document: ten times less work for the driver than a statement for each row."""
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 # as above

    columns: list[ColumnClause[object]] = [literal_column(column.name) for column in table.c]
    document = cast(bindparam("rows", type_=Text), JSON)
    rows = func.json_populate_recordset(literal_column(f"NULL::{table.name}"), document)
    return postgresql.insert(table).from_select(
        [column.name for column in table.c], select(*columns).select_from(rows), include_defaults=False
    )
