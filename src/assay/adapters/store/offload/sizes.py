"""About how many bytes of the database the attempts of some runs take."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    LargeBinary,
    Select,
    String,
    Table,
    func,
    literal,
    select,
    union,
)

from assay.adapters.store.attempts.tables import attempts, calls
from assay.adapters.store.database.blobs import BlobKey, blobs
from assay.adapters.store.database.columns import FreeText
from assay.adapters.store.evaluations import evaluations
from assay.domain.run import RunId

# A number, and what a database keeps beside a value.
_BYTES_PER_VALUE = 8


def freed_bytes(connection: Connection, run_ids: Sequence[RunId]) -> int:
    """Without indexes and what else a database keeps for a row."""
    rows = sum(connection.scalar(_row_bytes(table, run_ids)) or 0 for table in (attempts, calls))
    return int(rows) + int(connection.scalar(_text_bytes(run_ids)) or 0)


def _row_bytes(table: Table, run_ids: Sequence[RunId]) -> Select[Any]:
    kinds = (FreeText, String, LargeBinary)
    lengths: list[ColumnElement[int]] = [
        func.coalesce(func.length(column), 0) for column in table.columns if isinstance(column.type, kinds)
    ]
    each = sum(lengths, start=literal(_BYTES_PER_VALUE * (len(table.columns) - len(lengths))))
    return select(func.sum(each)).where(table.c.evaluation_id.in_(_own(run_ids)))


def _text_bytes(run_ids: Sequence[RunId]) -> Select[Any]:
    """Texts that no other run shares."""
    columns = [column for column in attempts.columns if isinstance(column.type, BlobKey)]
    own = union(*(select(one).where(attempts.c.evaluation_id.in_(_own(run_ids))) for one in columns))
    others = union(
        *(
            select(one).where(attempts.c.evaluation_id.not_in(_own(run_ids)), one.is_not(None))
            for one in columns
        )
    )
    is_freed = blobs.c.sha256.in_(own) & blobs.c.sha256.not_in(others)
    return select(func.sum(func.length(blobs.c.content))).where(is_freed)


def _own(run_ids: Sequence[RunId]) -> Select[Any]:
    return select(evaluations.c.id).where(evaluations.c.run_id.in_(run_ids))
