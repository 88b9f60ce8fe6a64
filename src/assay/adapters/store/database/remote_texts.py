"""Long texts in the object store: rows of `blobs` then hold the name of an object in place of the content."""

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import zstandard
from sqlalchemy import Connection, select, text

from assay.adapters.store.database.blobs import GIVEN_TEXTS, RemoteText, TextsElsewhereError, blobs
from assay.adapters.store.database.database import Database
from assay.adapters.store.database.texts import Blob
from assay.adapters.store.database.url import Location
from assay.domain.errors import ObjectStoreError
from assay.engine.objects import ObjectStore
from assay.engine.tasks import task_group

_T = TypeVar("_T")
_N = TypeVar("_N")
_Work = Callable[[Connection], _T]

# A shorter text costs a request, and saves the database less than the row around it.
REMOTE_ABOVE_BYTES = 32 * 1024
_AT_ONCE = 16
_HASHES_PER_QUERY = 500


class TextIsGoneError(Exception):
    """Somebody removed a text that was about to be referred to: place the texts again."""


@dataclass(frozen=True, slots=True)
class PlacedTexts:
    """Long texts before the rows that refer to them: `known` are stored, `added` are rows for the others."""

    known: frozenset[bytes] = frozenset()
    added: tuple[Blob, ...] = ()

    @property
    def hashes(self) -> frozenset[bytes]:
        return self.known | {blob.sha256 for blob in self.added}

    def require_known(self, connection: Connection) -> None:
        """Inside the transaction that refers to them; raises TextIsGoneError."""
        if not self.known:
            return
        if connection.dialect.name == "postgresql":
            # Whoever removes texts waits for this transaction, or has ended.
            connection.execute(text("LOCK TABLE blobs IN ROW EXCLUSIVE MODE"))
        if known_hashes(connection, self.known) != self.known:
            raise TextIsGoneError


NOTHING_PLACED = PlacedTexts()


def known_hashes(connection: Connection, hashes: Collection[bytes]) -> frozenset[bytes]:
    wanted, found = sorted(hashes), set[bytes]()
    for start in range(0, len(wanted), _HASHES_PER_QUERY):
        part = wanted[start : start + _HASHES_PER_QUERY]
        found.update(connection.scalars(select(blobs.c.sha256).where(blobs.c.sha256.in_(part))))
    return frozenset(found)


class RemoteTexts:
    """Each object has a name of its own, also for a text that was stored before.

    So what is removed because no row refers to it cannot be what another process has just written.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    async def place(self, database: Database, texts: Mapping[bytes, bytes]) -> PlacedTexts:
        """Write those of the texts, given by their hashes, that are long and not stored yet."""
        packed = await asyncio.to_thread(_long_ones, texts)
        if not packed:
            return NOTHING_PLACED
        known = await database.read(lambda connection: known_hashes(connection, packed))
        added = [
            Blob(key, b"", is_compressed=True, size=len(texts[key]), object_id=secrets.token_hex(8))
            for key in packed.keys() - known
        ]
        names = {_name(blob.sha256, str(blob.object_id)): packed[blob.sha256] for blob in added}
        await _each(list(names), lambda name: self._objects.put(name, names[name]))
        return PlacedTexts(known, tuple(added))

    async def fetch(self, wanted: Collection[RemoteText]) -> dict[bytes, bytes]:
        """The contents by their hashes; raises ObjectStoreError where one is missing or changed."""
        found = await _each(list(wanted), self._content)
        return {one.sha256: content for one, content in zip(wanted, found, strict=True)}

    def _content(self, wanted: RemoteText) -> bytes:
        name = _name(wanted.sha256, wanted.object_id)
        packed = self._objects.read(name)
        if packed is None:
            raise ObjectStoreError(f"the text {name!r} is not in the object store: put it back from a copy")
        try:
            content = zstandard.ZstdDecompressor().decompress(packed, max_output_size=wanted.size)
        except zstandard.ZstdError as error:
            raise _changed(name) from error
        if hashlib.sha256(content).digest() != wanted.sha256:
            raise _changed(name)
        return content

    async def remove(self, removed: Collection[RemoteText]) -> None:
        names = [_name(one.sha256, one.object_id) for one in removed]
        await _each(names, lambda name: self._objects.remove([name]))


class DatabaseWithRemoteTexts:
    """A database some of whose texts are elsewhere: they are fetched between two tries of a transaction.

    So no connection waits for the object store.
    """

    def __init__(self, database: Database, texts: RemoteTexts) -> None:
        self._database = database
        self._texts = texts

    @property
    def location(self) -> Location:
        return self._database.location

    async def read(self, work: _Work[_T]) -> _T:
        return await self._completed(self._database.read, work)

    async def write(self, work: _Work[_T]) -> _T:
        return await self._completed(self._database.write, work)

    async def write_with_reserve(self, work: _Work[_T]) -> _T:
        return await self._completed(self._database.write_with_reserve, work)

    async def close(self) -> None:
        await self._database.close()

    async def _completed(self, run: Callable[[_Work[_T]], Awaitable[_T]], work: _Work[_T]) -> _T:
        given: dict[bytes, bytes] = {}

        def with_given(connection: Connection) -> _T:
            if given:
                connection = connection.execution_options(**{GIVEN_TEXTS: given})
            return work(connection)

        while True:
            try:
                return await run(with_given)
            except TextsElsewhereError as missing:
                given |= await self._texts.fetch(missing.texts)


async def _each(names: Sequence[_N], call: Callable[[_N], _T]) -> list[_T]:
    """In threads, several at once, in the order given."""
    slots = asyncio.Semaphore(_AT_ONCE)

    async def one(name: _N) -> _T:
        async with slots:
            return await asyncio.to_thread(call, name)

    async with task_group() as group:
        tasks = [group.create_task(one(name)) for name in names]
    return [task.result() for task in tasks]


def _long_ones(texts: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """The compressed contents of those that are long enough."""
    compressor = zstandard.ZstdCompressor(level=3)
    long = {key: content for key, content in texts.items() if len(content) > REMOTE_ABOVE_BYTES}
    packed = {key: compressor.compress(content) for key, content in long.items()}
    return {key: content for key, content in packed.items() if len(content) > REMOTE_ABOVE_BYTES}


def _name(sha256: bytes, object_id: str) -> str:
    return f"texts/{sha256.hex()[:2]}/{sha256.hex()}-{object_id}"


def _changed(name: str) -> ObjectStoreError:
    return ObjectStoreError(f"the text {name!r} in the object store was changed: put it back from a copy")
