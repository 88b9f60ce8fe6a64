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
    literal,
    select,
    type_coerce,
)

from assay.adapters.store.attempts.filters import KEY, names
from assay.adapters.store.attempts.tables import attempts
from assay.adapters.store.database.listing import Listing
from assay.adapters.store.database.transactions import DatabaseStore, read
from assay.adapters.store.evaluations import evaluations
from assay.domain.attempt import AttemptKey
from assay.domain.calls.messages import MAX_TOKENS
from assay.domain.calls.pricing import MAX_USD
from assay.domain.outcome import FINAL, RETRYABLE, Outcome
from assay.domain.run import EvaluationId, RunId, State
from assay.domain.summary import Tokens
from assay.engine.stores.attempts import ErrorKind, Spent
from assay.engine.stores.latencies import BOUNDS_S, Latencies, Spread

_OF_EVALUATION = attempts.c.evaluation_id == evaluations.c.id
# SQLite sums integers exactly and nothing else: there, dollars and the trillionths beyond them are summed.
_DECIMALS = 12
_TIMES = (attempts.c.stream_ms, attempts.c.ttft_ms)
# Enough for a mean, and no more rows than a request may wait for.
_NEWEST = 5
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
        money = _sum_of_numbers if connection.dialect.name == "postgresql" else _sum_of_integers
        columns = attempts.c.cost_usd, attempts.c.judge_cost_usd
        tokens = attempts.c.input_tokens, attempts.c.output_tokens
        has_answer = attempts.c.outcome.in_(names(FINAL))
        statement: Select[*tuple[Any, ...]] = (
            select(
                sum_of_tokens(tokens[0]) + sum_of_tokens(tokens[1]),
                func.count().filter(has_answer, ~(is_known(tokens[0]) & is_known(tokens[1]))),
                *(part for column in columns for part in money(column)),
            )
            .join_from(evaluations, attempts, _OF_EVALUATION)
            .where(evaluations.c.run_id == run_id)
        )
        used, unknown, usd, parts, judge_usd, judge_parts = connection.execute(statement).one()
        return Spent(usd + judge_usd + Decimal(parts + judge_parts).scaleb(-_DECIMALS), int(used), unknown)

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
    def error_kinds(
        self, connection: Connection, run_ids: Sequence[RunId]
    ) -> Mapping[EvaluationId, tuple[ErrorKind, ...]]:
        found: dict[EvaluationId, tuple[ErrorKind, ...]] = {}
        for evaluation_id, outcome, code, message, count in connection.execute(_first_errors(run_ids)):
            kind = ErrorKind(Outcome(outcome), code, count, message)
            found[evaluation_id] = (*found.get(evaluation_id, ()), kind)
        return found

    @read
    def tokens_used(self, connection: Connection, run_ids: Sequence[RunId]) -> Mapping[EvaluationId, Tokens]:
        asked = select(evaluations.c.id).where(evaluations.c.run_id.in_(run_ids))
        sums = sum_of_tokens(attempts.c.input_tokens), sum_of_tokens(attempts.c.output_tokens)
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

    @read
    def item_latencies_ms(self, connection: Connection) -> Mapping[str, float]:
        age = func.row_number().over(
            partition_by=evaluations.c.benchmark, order_by=evaluations.c.finished_at.desc()
        )
        succeeded = (
            select(evaluations.c.id, evaluations.c.benchmark, age.label("age"))
            .where(evaluations.c.state == State.SUCCEEDED.value)
            .subquery()
        )
        statement = (
            select(succeeded.c.benchmark, func.avg(attempts.c.stream_ms))
            .join_from(succeeded, attempts, attempts.c.evaluation_id == succeeded.c.id)
            .where(succeeded.c.age <= _NEWEST, attempts.c.stream_ms.is_not(None))
            .group_by(succeeded.c.benchmark)
        )
        return {benchmark: mean for benchmark, mean in connection.execute(statement)}  # noqa: C416 # rows are no pairs to a type checker


def count_outcomes(
    connection: Connection, run_ids: Sequence[RunId]
) -> dict[EvaluationId, dict[Outcome, int]]:
    counts: dict[EvaluationId, dict[Outcome, int]] = {}
    for evaluation_id, outcome, count in _OUTCOMES.rows(connection, {"run_ids": list(run_ids)}):
        counts.setdefault(evaluation_id, {})[Outcome(outcome)] = count
    return counts


def is_known(tokens: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a count is read as known; never null."""
    return func.coalesce(tokens, MAX_TOKENS + 1) <= MAX_TOKENS


def _first_errors(run_ids: Sequence[RunId]) -> Select[*tuple[Any, ...]]:
    """The first failed attempt of each kind, with the number of its kind."""
    asked = select(evaluations.c.id).where(evaluations.c.run_id.in_(run_ids))
    kind = attempts.c.evaluation_id, attempts.c.outcome, attempts.c.error_code
    in_order = attempts.c.finished_at, *KEY
    ranked = (
        select(
            *kind,
            attempts.c.error_message,
            func.count().over(partition_by=kind).label("count"),
            func.row_number().over(partition_by=kind, order_by=in_order).label("place"),
        )
        .where(attempts.c.evaluation_id.in_(asked), attempts.c.outcome.in_(names(RETRYABLE)))
        .subquery()
    )
    *columns, place = ranked.c
    count = columns[-1]
    return select(*columns).where(place == 1).order_by(count.desc(), *columns)


def sum_of_tokens(tokens: ColumnElement[Any], *conditions: ColumnElement[bool]) -> ColumnElement[Any]:
    """The sum of the counts that are read as known."""
    return func.coalesce(func.sum(tokens, type_=BigInteger).filter(is_known(tokens), *conditions), 0)


def _sum_of_numbers(amounts: ColumnElement[Any]) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    """The sum of the amounts that are read as known, and no trillionths."""
    numbers = type_coerce(amounts, Numeric)
    return func.coalesce(func.sum(numbers).filter(numbers <= MAX_USD), Decimal(0)), literal(0)


def _sum_of_integers(amounts: ColumnElement[Any]) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
    """The sums of the dollars and of the trillionths of the amounts that are read as known."""
    number = cast(amounts, Double)
    dollars = cast(number, BigInteger)
    trillionths = cast(func.round((number - dollars) * 10.0**_DECIMALS), BigInteger)
    is_possible = number <= float(MAX_USD)
    return (
        func.coalesce(func.sum(dollars).filter(is_possible), 0),
        func.coalesce(func.sum(trillionths).filter(is_possible), 0),
    )


def _counts_within_bounds(column: Column[Any]) -> list[ColumnElement[Any]]:
    within = [func.count().filter(column <= bound_s * 1000) for bound_s in BOUNDS_S]
    return [*within, func.count(column), func.coalesce(func.sum(column), 0.0)]


def _spread(figures: Sequence[float]) -> Spread:
    *counts, sum_ms = figures
    return Spread(tuple(map(int, counts)), sum_ms / 1000)
