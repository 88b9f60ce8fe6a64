"""Writes a run in batches of attempts, in worker threads, so that memory holds one batch at a time."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from assay.domain.attempt import Attempt
from assay.domain.calls.messages import Json
from assay.domain.json_value import canonical_json
from assay.engine.exports.content import EvaluationContent, RunContent
from assay.engine.exports.formats import Paper

_BATCH = 100
_T = TypeVar("_T")

RenderPdf = Callable[[Json], bytes]


class Signer(Protocol):
    @property
    def public_key(self) -> bytes:
        """The 32 raw bytes."""
        ...

    def sign(self, message: bytes) -> bytes: ...


@dataclass(frozen=True, slots=True)
class ExportTools:
    """What some formats need besides the content of the run."""

    signer: Callable[[], Signer]
    render_pdf: RenderPdf
    paper: Paper


class Writer(Protocol):
    """Writes one format. Each evaluation calls `begin`, then `add` any number of times, then `end`."""

    def begin(self, one: EvaluationContent) -> None: ...

    def add(self, attempts: Sequence[Attempt]) -> None: ...

    def end(self) -> None: ...

    def close(self) -> None:
        """Called after the last evaluation."""
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
    """Canonical JSON that every parser reads: values such as NaN become null."""
    try:
        return _STRICT.encode(value).encode()
    except (TypeError, ValueError):
        return canonical_json(_finite(value))


def readable(value: Json) -> bytes:
    """JSON in UTF-8 for people and other tools; unpaired surrogates are replaced."""
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
