"""Replies within attempts under way, each as compressed JSON."""

import asyncio
from functools import cache

import zstandard
from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Connection, delete, insert, select

from assay.adapters.store.database.codec import json_text, json_value
from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.adapters.store.steps.tables import steps
from assay.domain.attempt import AttemptKey
from assay.domain.run import EvaluationId
from assay.domain.step import Step

_MOST_BYTES = 64 * 1024 * 1024


class SqlStepStore(DatabaseStore):
    async def add(self, evaluation_id: EvaluationId, key: AttemptKey, number: int, step: Step) -> None:
        packed = await asyncio.to_thread(_packed, step)
        await self._replace(evaluation_id, key, number, packed)

    async def steps_of(self, evaluation_id: EvaluationId, key: AttemptKey) -> tuple[Step, ...]:
        found = await self._packed(evaluation_id, key)
        return tuple([await asyncio.to_thread(_unpacked, packed) for packed in found])

    @write
    def remove(self, connection: Connection, evaluation_id: EvaluationId) -> None:
        connection.execute(delete(steps).where(steps.c.evaluation_id == evaluation_id))

    @write
    def remove_from(
        self, connection: Connection, evaluation_id: EvaluationId, key: AttemptKey, number: int
    ) -> None:
        connection.execute(delete(steps).where(_is_of(evaluation_id, key), steps.c.number >= number))

    @write
    def _replace(
        self, connection: Connection, evaluation_id: EvaluationId, key: AttemptKey, number: int, packed: bytes
    ) -> None:
        connection.execute(delete(steps).where(_is_of(evaluation_id, key), steps.c.number == number))
        values = {"evaluation_id": evaluation_id, **key._asdict(), "number": number, "step": packed}
        connection.execute(insert(steps), values)

    @read
    def _packed(self, connection: Connection, evaluation_id: EvaluationId, key: AttemptKey) -> list[bytes]:
        found = select(steps.c.step).where(_is_of(evaluation_id, key)).order_by(steps.c.number)
        return list(connection.scalars(found))


def _is_of(evaluation_id: EvaluationId, key: AttemptKey) -> ColumnElement[bool]:
    return (
        (steps.c.evaluation_id == evaluation_id)
        & (steps.c.item_id == key.item_id)
        & (steps.c.sample == key.sample)
    )


@cache
def _form() -> TypeAdapter[Step]:
    return TypeAdapter(Step)


def _packed(step: Step) -> bytes:
    return zstandard.compress(json_text(_form().dump_python(step, mode="json")).encode())


def _unpacked(packed: bytes) -> Step:
    text = zstandard.ZstdDecompressor().decompress(packed, max_output_size=_MOST_BYTES)
    return _form().validate_python(json_value(text))
