"""What an API wants to have back with the next request of a conversation with tools: signed reasoning.

A conversation carries the calls of tools and their results, and no more: agents hold it as chat messages.
What else belongs to a reply is kept here, in memory, for as long as the client lives.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import orjson

from assay.domain.calls.messages import Json, ToolCall
from assay.domain.json_value import canonical_json

_MAX_BYTES = 32 * 1024 * 1024


class TurnMemory:
    """Found again by the messages before a reply and by its calls; the oldest is forgotten first."""

    def __init__(self, max_bytes: int = _MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._bytes = 0

    def keep(self, messages: Sequence[Json], calls: Sequence[ToolCall], value: Json) -> None:
        """`messages` is what the reply with these calls answers."""
        before = hashlib.sha256()
        for message in messages:
            before.update(canonical_json(message))
        key = _key(before.digest(), ((call.name, call.arguments) for call in calls))
        try:
            data = orjson.dumps(value)
        except TypeError:
            # What could not be sent back, such as half of a surrogate pair.
            return
        self._forget(key)
        self._kept[key] = data
        self._bytes += len(data)
        while self._bytes > self._max_bytes:
            self._forget(next(iter(self._kept)))

    def recalled(self, messages: Sequence[Mapping[str, Json]]) -> Iterator[Json]:
        """For every message what is kept of it, or None."""
        before = hashlib.sha256()
        for message in messages:
            calls = list(_calls_of(message))
            data = self._kept.get(_key(before.digest(), calls)) if calls else None
            before.update(canonical_json(message))
            yield None if data is None else orjson.loads(data)

    def _forget(self, key: bytes) -> None:
        self._bytes -= len(self._kept.pop(key, b""))


def _key(before: bytes, calls: Iterable[tuple[str, str]]) -> bytes:
    return hashlib.sha256(before + canonical_json([list(call) for call in calls])).digest()


def _calls_of(message: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield str(function.get("name")), str(function.get("arguments"))
