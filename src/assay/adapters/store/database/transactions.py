"""Turns queries into methods: each runs as one transaction of the store's database."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import wraps
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection

from assay.adapters.store.database.database import Database

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Key = TypeVar("_Key")


class DatabaseStore:
    """A store whose methods are transactions of one database, which other stores share."""

    def __init__(self, database: Database) -> None:
        self.database = database


_Store = TypeVar("_Store", bound=DatabaseStore)
_Query = Callable[Concatenate[_Store, Connection, _P], _T]


def read(query: _Query[_Store, _P, _T]) -> "Callable[Concatenate[_Store, _P], CoroutineType[Any, Any, _T]]":
    """Run the query on one snapshot."""

    @wraps(query)
    async def method(self: _Store, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return await self.database.read(lambda connection: query(self, connection, *args, **kwargs))

    return method


def write(query: _Query[_Store, _P, _T]) -> "Callable[Concatenate[_Store, _P], CoroutineType[Any, Any, _T]]":
    """Run the query in a transaction: all that it wrote becomes visible at once, or none of it."""

    @wraps(query)
    async def method(self: _Store, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return await self.database.write(lambda connection: query(self, connection, *args, **kwargs))

    return method


async def paged(
    page: Callable[[_Key | None], Awaitable[Sequence[_T]]], *, key: Callable[[_T], _Key]
) -> AsyncIterator[_T]:
    """All rows, page by page, each a short transaction; `page` gives those after a key."""
    after: _Key | None = None
    while rows := await page(after):
        for row in rows:
            yield row
        after = key(rows[-1])
