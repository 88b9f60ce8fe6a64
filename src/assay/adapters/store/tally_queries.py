"""What the attempts of a run amount to so far, in one statement each: they are asked for every second."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    BigInteger,
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

from assay.adapters.store.listing import Listing
from assay.adapters.store.tables import attempts, evaluations
from assay.domain.attempt import AttemptKey
from assay.domain.outcome import RETRYABLE, Outcome
from assay.domain.run import EvaluationId, RunId
from assay.domain.summary import Tokens
from assay.engine.stores.attempts import Spent

_OF_EVALUATION = attempts.c.evaluation_id == evaluations.c.id
# SQLite sums integers exactly and nothing else: there, trillionths of a dollar are summed.
_DECIMALS = 12


def _outcomes() -> Select[Any, Any, int]:
    """Grouped in the order of the index, which spares the database a sort."""
    asked = select(evaluations.c.id).where(evaluations.c.run_id.in_(bindparam("run_ids", expanding=True)))
    group = attempts.c.evaluation_id, attempts.c.outcome
    count = func.count().label("count")
    return select(*group, count).where(attempts.c.evaluation_id.in_(asked)).group_by(*group)


_OUTCOMES = Listing(_outcomes())


def spent(connection: Connection, run_id: RunId) -> Spent:
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


def outcome_counts(
    connection: Connection, run_ids: Sequence[RunId]
) -> dict[EvaluationId, dict[Outcome, int]]:
    counts: dict[EvaluationId, dict[Outcome, int]] = {}
    for evaluation_id, outcome, count in _OUTCOMES.rows(connection, {"run_ids": list(run_ids)}):
        counts.setdefault(evaluation_id, {})[Outcome(outcome)] = count
    return counts


def tokens_used(connection: Connection, run_ids: Sequence[RunId]) -> dict[EvaluationId, Tokens]:
    asked = select(evaluations.c.id).where(evaluations.c.run_id.in_(run_ids))
    sums = _sum(attempts.c.input_tokens), _sum(attempts.c.output_tokens)
    group = attempts.c.evaluation_id
    statement = select(group, *sums).where(group.in_(asked)).group_by(group)
    return {
        evaluation_id: Tokens(input=int(sent), output=int(received))
        for evaluation_id, sent, received in connection.execute(statement)
    }


def missing(connection: Connection, evaluation_id: EvaluationId) -> frozenset[AttemptKey]:
    has_no_verdict = attempts.c.outcome.in_(sorted(outcome.value for outcome in RETRYABLE))
    statement = select(attempts.c.item_id, attempts.c.sample).where(
        attempts.c.evaluation_id == evaluation_id, has_no_verdict
    )
    return frozenset(AttemptKey(item_id, sample) for item_id, sample in connection.execute(statement))


def _sum(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.coalesce(func.sum(column), 0)


def _sum_of_numbers(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return _sum(type_coerce(column, Numeric))


def _sum_of_trillionths(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return _sum(cast(func.round(cast(column, Double) * 10.0**_DECIMALS), BigInteger))
