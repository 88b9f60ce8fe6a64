"""Sums and counts over the attempts of runs, in one statement each: they are asked for every second."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Double,
    Numeric,
    Select,
    bindparam,
    cast,
    func,
    select,
    type_coerce,
)

from assay.adapters.store.attempts.filters import KEY, names
from assay.adapters.store.attempts.tables import attempts
from assay.adapters.store.database.listing import Listing
from assay.adapters.store.database.transactions import DatabaseStore, read
from assay.adapters.store.evaluations import evaluations
from assay.domain.attempt import AttemptKey
from assay.domain.outcome import RETRYABLE, Outcome
from assay.domain.run import EvaluationId, RunId
from assay.domain.summary import Tokens
from assay.engine.stores.attempts import Spent
from assay.engine.stores.latencies import BOUNDS_S, Latencies, Spread

_OF_EVALUATION = attempts.c.evaluation_id == evaluations.c.id
# SQLite sums integers exactly and nothing else: there, trillionths of a dollar are summed.
_DECIMALS = 12
_TIMES = (attempts.c.stream_ms, attempts.c.ttft_ms)
_FIGURES_PER_TIME = len(BOUNDS_S) + 2


def _outcomes() -> Select[Any, Any, int]:
    """Grouped in the order of the index, so that the database need not sort."""
    asked = select(evaluations.c.id).where(evaluations.c.run_id.in_(bindparam("run_ids", expanding=True)))
    group = attempts.c.evaluation_id, attempts.c.outcome
    count = func.count().label("count")
    return select(*group, count).where(attempts.c.evaluation_id.in_(asked)).group_by(*group)


_OUTCOMES = Listing(_outcomes())


class AttemptTallies(DatabaseStore):
    @read
    def spent(self, connection: Connection, run_id: RunId) -> Spent:
        is_exact = connection.dialect.name == "postgresql"
        money = _sum_of_numbers if is_exact else _sum_of_trillionths
        statement = (
            select(
                (money(attempts.c.cost_usd) + money(attempts.c.judge_cost_usd)).label("usd"),
                (_sum(attempts.c.input_tokens) + _sum(attempts.c.output_tokens)).label("tokens"),
            )
            .join_from(evaluations, attempts, _OF_EVALUATION)
            .where(evaluations.c.run_id == run_id)
        )
        row = connection.execute(statement).one()
        usd = Decimal(row.usd)
        return Spent(usd if is_exact else usd.scaleb(-_DECIMALS), int(row.tokens))

    @read
    def missing(self, connection: Connection, evaluation_id: EvaluationId) -> frozenset[AttemptKey]:
        statement = select(*KEY).where(
            attempts.c.evaluation_id == evaluation_id, attempts.c.outcome.in_(names(RETRYABLE))
        )
        return frozenset(AttemptKey(item_id, sample) for item_id, sample in connection.execute(statement))

    @read
    def outcome_counts(
        self, connection: Connection, run_ids: Sequence[RunId]
    ) -> Mapping[EvaluationId, Mapping[Outcome, int]]:
        return count_outcomes(connection, run_ids)

    @read
    def tokens_used(self, connection: Connection, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, Tokens]:
        asked = select(evaluations.c.id).where(evaluations.c.run_id.in_(run_ids))
        sums = _sum(attempts.c.input_tokens), _sum(attempts.c.output_tokens)
        group = attempts.c.evaluation_id
        statement = select(group, *sums).where(group.in_(asked)).group_by(group)
        return {
            evaluation_id: Tokens(input=int(sent), output=int(received))
            for evaluation_id, sent, received in connection.execute(statement)
        }

    @read
    def latencies(self, connection: Connection, run_ids: Sequence[RunId]) -> Mapping[str, Latencies]:
        figures = (figure for column in _TIMES for figure in _counts_within_bounds(column))
        statement = (
            select(evaluations.c.model, *figures)
            .join_from(evaluations, attempts, _OF_EVALUATION)
            .where(evaluations.c.run_id.in_(run_ids), attempts.c.stream_ms.is_not(None))
            .group_by(evaluations.c.model)
        )
        return {
            model: Latencies(_spread(found[:_FIGURES_PER_TIME]), _spread(found[_FIGURES_PER_TIME:]))
            for model, *found in connection.execute(statement)
        }


def count_outcomes(
    connection: Connection, run_ids: Sequence[RunId]
) -> dict[EvaluationId, dict[Outcome, int]]:
    counts: dict[EvaluationId, dict[Outcome, int]] = {}
    for evaluation_id, outcome, count in _OUTCOMES.rows(connection, {"run_ids": list(run_ids)}):
        counts.setdefault(evaluation_id, {})[Outcome(outcome)] = count
    return counts


def _sum(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.coalesce(func.sum(column), 0)


def _sum_of_numbers(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return _sum(type_coerce(column, Numeric))


def _sum_of_trillionths(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return _sum(cast(func.round(cast(column, Double) * 10.0**_DECIMALS), BigInteger))


def _counts_within_bounds(column: Column[Any]) -> list[ColumnElement[Any]]:
    within = [func.count().filter(column <= bound_s * 1000) for bound_s in BOUNDS_S]
    return [*within, func.count(column), func.coalesce(func.sum(column), 0.0)]


def _spread(figures: Sequence[float]) -> Spread:
    *counts, sum_ms = figures
    return Spread(tuple(map(int, counts)), sum_ms / 1000)
