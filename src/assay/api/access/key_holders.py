"""Finds the holders of access keys, at little cost for wrong ones."""

import asyncio
from typing import Final

from assay.domain.access.identity import User
from assay.domain.errors import AssayError
from assay.engine.stores.identity import IdentityStore

_GATHERED_FOR_S: Final = 0.02
_MOST_AT_ONCE: Final = 500


class KeyHolders:
    """Looks up the unknown keys of some milliseconds with one query.

    Nothing is remembered of a wrong key, so that a key counts as soon as it is stored, by whatever process.
    """

    def __init__(self, store: IdentityStore) -> None:
        self._store = store
        self._asked: dict[str, asyncio.Future[User | None]] = {}
        self._task: asyncio.Task[None] | None = None

    async def find(self, key_hash: str, *, at_once: bool) -> User | None:
        """The holder of the key; `at_once` for a key that is probably right."""
        if at_once:
            return (await self._store.users_by_key([key_hash])).get(key_hash)
        if key_hash not in self._asked:
            self._asked[key_hash] = asyncio.get_running_loop().create_future()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look_up())
        return await asyncio.shield(self._asked[key_hash])

    async def _look_up(self) -> None:
        while self._asked:
            await asyncio.sleep(_GATHERED_FOR_S)
            asked = {one: self._asked.pop(one) for one in list(self._asked)[:_MOST_AT_ONCE]}
            try:
                found = await self._store.users_by_key(asked)
            except BaseException as error:
                for waiting in (*asked.values(), *self._asked.values()):
                    waiting.set_exception(error)
                    # Whoever waited may have hung up.
                    waiting.exception()
                self._asked.clear()
                if not isinstance(error, AssayError):
                    raise
                return
            for key_hash, waiting in asked.items():
                waiting.set_result(found.get(key_hash))
