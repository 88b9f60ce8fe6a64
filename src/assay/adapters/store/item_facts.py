"""What the items of an evaluation were, as one blob that the models of a run share."""

from collections.abc import Sequence
from dataclasses import astuple

from pydantic import TypeAdapter
from sqlalchemy import Connection, select

from assay.adapters.store.blobs import read_blobs
from assay.adapters.store.codec import json_text, json_value
from assay.adapters.store.tables import evaluations
from assay.adapters.store.texts import BlobBatch
from assay.domain.run import EvaluationId, ItemFacts

_ROWS = TypeAdapter(list[tuple[str, str, str | None, str | None]])


def added(batch: BlobBatch, facts: Sequence[ItemFacts]) -> bytes | None:
    """The hash to store in place of the facts; None for no facts."""
    if not facts:
        return None
    return batch.add_bytes(json_text([astuple(one) for one in facts]).encode())


def of_evaluation(connection: Connection, evaluation_id: EvaluationId) -> tuple[ItemFacts, ...]:
    sha256 = connection.scalar(select(evaluations.c.facts_sha256).where(evaluations.c.id == evaluation_id))
    if sha256 is None:
        return ()
    content = read_blobs(connection, [sha256])[sha256]
    return tuple(ItemFacts(*row) for row in _ROWS.validate_python(json_value(content), strict=False))
