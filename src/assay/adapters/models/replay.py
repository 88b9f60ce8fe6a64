"""Models that answer with a reply that somebody gave, instead of being called.

Their names say so, `replay/<name>:<start of the reply's SHA-256>`: what was not asked must not rank as if it
had been, and whatever process goes on with the run finds the same reply.
"""

import asyncio
import hashlib
from pathlib import Path

from assay.adapters.models.reasoning import split_tags
from assay.domain.benchmark import Need
from assay.domain.calls.messages import Completion
from assay.domain.calls.pricing import Price
from assay.domain.errors import EndpointError, InvalidValueError, ObjectStoreError, StoreError
from assay.engine.objects import ObjectStore
from assay.engine.ports import Request

REPLAY = "replay"
_HASH_CHARACTERS = 16
_MOST_BYTES = 8 * 1024 * 1024


class KeptReplies:
    """Replies in a folder by the start of their hash; with an object store, other machines find them too."""

    def __init__(self, folder: Path, objects: ObjectStore | None = None) -> None:
        self._folder = folder
        self._objects = objects

    def keep(self, model: str, reply: str) -> str:
        """Store the reply; returns the name of the model that answers with it."""
        data = reply.encode("utf-8", "surrogatepass")
        if len(data) > _MOST_BYTES:
            raise InvalidValueError(
                f"the reply has {len(data):,} bytes; at most {_MOST_BYTES:,} can be graded"
            )
        name = _digest(data)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self._folder / name).write_bytes(data)
        except OSError as error:
            raise StoreError(
                f"the reply cannot be stored in {str(self._folder)!r}: {error.strerror}"
            ) from error
        if self._objects is not None:
            self._objects.put(f"replies/{name}", data)
        return f"{REPLAY}/{model}:{name}"

    def read(self, name: str) -> bytes | None:
        """None where it was kept on another machine, and is in no object store."""
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            data = None if self._objects is None else self._objects.read(f"replies/{name}")
        if data is not None and _digest(data) != name:
            raise ObjectStoreError(f"'replies/{name}' in the object store was changed: give the reply again")
        return data


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:_HASH_CHARACTERS]


class ReplayedModel:
    def __init__(self, model: str, replies: KeptReplies) -> None:
        digest = model.rpartition(":")[2]
        if len(digest) != _HASH_CHARACTERS or not set(digest) <= set("0123456789abcdef"):
            raise InvalidValueError(
                f"{model!r} names no reply: the prefix {REPLAY!r} is for models that answer with a given one"
            )
        self._model = model
        self._replies = replies
        self._digest = digest

    @property
    def model(self) -> str:
        return self._model

    @property
    def endpoint(self) -> str:
        return REPLAY

    async def check(self, needs: frozenset[Need] = frozenset()) -> None:  # noqa: ARG002 - protocol
        await self._reply()

    async def _reply(self) -> bytes:
        reply = await asyncio.to_thread(self._replies.read, self._digest)
        if reply is None:
            raise EndpointError(f"the reply of {self._model!r} is not on this machine: give it again")
        return reply

    async def price(self) -> Price | None:
        """Unknown: nobody says here what the reply cost."""
        return None

    async def close(self) -> None:
        """Nothing is held open."""

    async def complete(self, request: Request) -> Completion:
        _ = request
        reply = await self._reply()
        text = reply.decode("utf-8", "replace")
        split = split_tags(text)
        if split is None:
            return Completion(text, finish_reason="stop")
        return Completion(
            split.answer,
            reasoning=split.reasoning,
            reasoning_unclosed=split.is_unclosed,
            finish_reason="stop",
        )
