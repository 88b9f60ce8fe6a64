"""How long answers took, counted by the database."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, func, select

from assay.adapters.store.tables import attempts, evaluations
from assay.domain.run import RunId
from assay.engine.stores.latencies import BOUNDS_S, Latencies, Spread

_FIGURES = (attempts.c.stream_ms, attempts.c.ttft_ms)
_WIDTH = len(BOUNDS_S) + 2


def latencies(connection: Connection, run_ids: Sequence[RunId]) -> dict[str, Latencies]:
    statement = (
        select(evaluations.c.model, *(figure for column in _FIGURES for figure in _counts(column)))
        .join_from(evaluations, attempts, attempts.c.evaluation_id == evaluations.c.id)
        .where(evaluations.c.run_id.in_(run_ids), attempts.c.stream_ms.is_not(None))
        .group_by(evaluations.c.model)
    )
    return {
        model: Latencies(_spread(figures[:_WIDTH]), _spread(figures[_WIDTH:]))
        for model, *figures in connection.execute(statement)
    }


def _counts(column: Column[Any]) -> list[ColumnElement[Any]]:
    within = [func.count().filter(column <= bound_s * 1000) for bound_s in BOUNDS_S]
    return [*within, func.count(column), func.coalesce(func.sum(column), 0.0)]


def _spread(figures: Sequence[float]) -> Spread:
    *counts, sum_ms = figures
    return Spread(tuple(map(int, counts)), sum_ms / 1000)
