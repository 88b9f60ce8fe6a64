"""The orders of runs as SQL."""

from typing import Any

from sqlalchemy import JSON, ColumnElement, Double, case, cast, extract, func, select

from assay.adapters.store.tables import evaluations, runs
from assay.engine.stores.runs import RunOrder

_OWN = evaluations.c.run_id == runs.c.id
_NEWEST = runs.c.created_at.desc(), runs.c.id.desc()


def ordered_by(order: RunOrder, dialect: str) -> tuple[ColumnElement[Any], ...]:
    if order == "-created":
        return _NEWEST
    if order == "created":
        return runs.c.created_at.asc(), runs.c.id.asc()
    figure = _figure(order.removeprefix("-"), dialect)
    directed = figure.desc() if order.startswith("-") else figure.asc()
    return directed.nulls_last(), *_NEWEST


def _figure(name: str, dialect: str) -> ColumnElement[Any]:
    if name == "score":
        return select(func.max(evaluations.c.score)).where(_OWN).scalar_subquery()
    if name == "cost":
        cost_usd = _cost_usd(dialect)
        # A sum of which a part is unknown is unknown.
        known = case((func.count() == func.count(cost_usd), func.sum(cost_usd)))
        return select(known).select_from(evaluations).where(_OWN).scalar_subquery()
    if dialect == "postgresql":
        return extract("epoch", runs.c.finished_at.op("-")(runs.c.started_at))
    return func.julianday(runs.c.finished_at) - func.julianday(runs.c.started_at)


def _cost_usd(dialect: str) -> ColumnElement[Any]:
    """From the summary's JSON: sorting is rare, a column of its own would be written with every summary."""
    if dialect == "postgresql":
        return cast(cast(evaluations.c.summary, JSON)["cost_usd"].as_string(), Double)
    return cast(func.json_extract(evaluations.c.summary, "$.cost_usd"), Double)
