"""Pages of runs as SQL: which runs, and in what order."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Double,
    Numeric,
    Select,
    bindparam,
    case,
    cast,
    extract,
    func,
    or_,
    select,
)

from assay.adapters.store.database.listing import Listing
from assay.adapters.store.database.stored_values import storable
from assay.adapters.store.database.substrings import contains
from assay.adapters.store.evaluations import evaluations
from assay.adapters.store.runs import rows
from assay.adapters.store.runs.tables import runs
from assay.domain.access.visibility import Viewer
from assay.engine.stores.runs import RunFilter, RunOrder, RunPage

_OWN = evaluations.c.run_id == runs.c.id
# What is in the JSON list of tags and in none of them.
_JSON_MARKS = frozenset('"[], ')
_NEWEST_FIRST = runs.c.created_at.desc(), runs.c.id.desc()


def run_page(connection: Connection, wanted: RunFilter, viewer: Viewer | None) -> RunPage:
    """Of the runs that the viewer sees; None means all."""
    count, listing = _statements(replace(wanted, limit=0, offset=0), viewer, connection.dialect.name)
    total = connection.scalar(count)
    found = listing.rows(connection, {"limit": wanted.limit, "offset": wanted.offset})
    return RunPage(tuple(map(rows.listed_run, found)), total or 0)


@lru_cache(maxsize=64)
def _statements(wanted: RunFilter, viewer: Viewer | None, dialect: str) -> tuple[Select[int], Listing]:
    """Statements for the number of runs and for any page of them."""
    conditions = [*_conditions(wanted, dialect), *seen_by(viewer)]
    statement = select(runs).where(*conditions).order_by(*_order(wanted.sort, dialect))
    paged = statement.limit(bindparam("limit")).offset(bindparam("offset"))
    return select(func.count()).select_from(runs).where(*conditions), Listing(paged)


def seen_by(viewer: Viewer | None) -> list[ColumnElement[bool]]:
    """The condition that a viewer sees a run; none for None, who sees all."""
    if viewer is None:
        return []
    # First, as an index has it.
    places = [runs.c.visibility.in_(sorted(one.value for one in viewer.sees_of_others))]
    places += [runs.c.owner.is_not_distinct_from(owner) for owner in viewer.owners]
    return [or_(*places)]


def _conditions(wanted: RunFilter, dialect: str) -> list[ColumnElement[bool]]:
    words = (wanted.search or "").split()
    return [
        *_of_run(wanted, dialect),
        *_of_evaluations(wanted, dialect),
        *(_called(word, dialect) for word in words),
    ]


def _of_run(wanted: RunFilter, dialect: str) -> Iterator[ColumnElement[bool]]:
    if wanted.state is not None:
        yield runs.c.state == wanted.state.value
    if wanted.states:
        yield runs.c.state.in_(sorted(state.value for state in wanted.states))
    if wanted.is_archived is not None:
        yield runs.c.is_archived == wanted.is_archived
    if wanted.owner is not None:
        yield runs.c.owner == wanted.owner
    if wanted.name is not None:
        yield contains(runs.c.name, wanted.name, dialect)
    if wanted.tag is not None:
        # A tag holds no quotation mark: this is a whole member of the JSON list.
        yield contains(runs.c.tags, f'"{wanted.tag}"', dialect)
    if wanted.created_before is not None:
        yield runs.c.created_at < wanted.created_before


def _of_evaluations(wanted: RunFilter, dialect: str) -> Iterator[ColumnElement[bool]]:
    if wanted.model is not None:
        yield _has(contains(evaluations.c.model, wanted.model, dialect))
    if wanted.exact_model is not None:
        yield _has(evaluations.c.model == wanted.exact_model)
    if wanted.benchmark is not None:
        yield _has(evaluations.c.benchmark == wanted.benchmark)
    if (prefix := wanted.benchmark_prefix) is not None:
        yield _has(func.substr(evaluations.c.benchmark, 1, len(prefix)) == prefix)


def _called(word: str, dialect: str) -> ColumnElement[bool]:
    of_evaluation = or_(
        contains(evaluations.c.model, word, dialect), contains(evaluations.c.benchmark, word, dialect)
    )
    places = [
        func.substr(runs.c.id, 1, len(word)) == storable(word.lower()),
        contains(runs.c.name, word, dialect),
        _has(of_evaluation),
    ]
    if not _JSON_MARKS & set(word):
        places.append(contains(runs.c.tags, word, dialect))
    return or_(*places)


def _has(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(evaluations.c.id).where(_OWN, condition).exists()


def _order(order: RunOrder, dialect: str) -> tuple[ColumnElement[Any], ...]:
    if order == "-created":
        return _NEWEST_FIRST
    if order == "created":
        return runs.c.created_at.asc(), runs.c.id.asc()
    figure = _figure(order.removeprefix("-"), dialect)
    directed = figure.desc() if order.startswith("-") else figure.asc()
    return directed.nulls_last(), *_NEWEST_FIRST


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
        return cast(cast(evaluations.c.summary, JSON)["cost_usd"].as_string(), Numeric)
    return cast(func.json_extract(evaluations.c.summary, "$.cost_usd"), Double)
