"""How a run is written out: attempt by attempt, off the event loop, with as much memory as a batch takes."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Protocol, TypeVar

from assay.domain.attempt import Attempt
from assay.domain.canonical import canonical_json
from assay.domain.messages import Json
from assay.engine.exports.content import EvaluationContent, RunContent

_BATCH = 100
_T = TypeVar("_T")


class Writer(Protocol):
    """One format. Called for each evaluation in turn: `begin`, `add` any number of times, `end`."""

    def begin(self, one: EvaluationContent) -> None: ...

    def add(self, attempts: Sequence[Attempt]) -> None: ...

    def end(self) -> None: ...

    def close(self) -> None:
        """Write what follows the last evaluation."""
        ...


async def write_run(content: RunContent, writer: Writer) -> None:
    for one in content.evaluations:
        await asyncio.to_thread(writer.begin, one)
        async for batch in _batches(content.attempts(one)):
            await asyncio.to_thread(writer.add, batch)
        await asyncio.to_thread(writer.end)
    await asyncio.to_thread(writer.close)


async def _batches(values: AsyncIterator[_T]) -> AsyncIterator[list[_T]]:
    batch: list[_T] = []
    async for value in values:
        batch.append(value)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def encoded(value: Json) -> bytes:
    """Canonical JSON that every parser reads: what is no number, such as NaN, becomes null."""
    try:
        return _STRICT.encode(value).encode()
    except (TypeError, ValueError):
        return canonical_json(_finite(value))


def readable(value: Json) -> bytes:
    """JSON for people and other tools, in UTF-8, with halves of surrogate pairs replaced."""
    text = json.dumps(_finite(value), ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


_STRICT = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def _finite(value: Json) -> Json:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(member) for key, member in value.items()}
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return [_finite(member) for member in value]
    return value
