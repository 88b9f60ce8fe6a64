"""Pages of attempts as SQL: which attempts, and in what order."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import (
    JSON,
    ColumnElement,
    Connection,
    Select,
    Text,
    cast,
    extract,
    func,
    literal,
    or_,
    select,
    tuple_,
)

from assay.adapters.store.attempts.tables import attempts
from assay.adapters.store.database.stored_values import storable
from assay.adapters.store.database.substrings import contains
from assay.adapters.store.search.matching import TextSearch
from assay.domain.attempt import AttemptKey
from assay.domain.outcome import Outcome
from assay.domain.run import EvaluationId
from assay.engine.stores.attempts import AttemptFilter, Span

# Each may have to be read and decompressed: 50,000 take half a second of one processor.
_COUNTED_AHEAD = 5_000
KEY = attempts.c.item_id, attempts.c.sample
_SEARCHED = (
    attempts.c.item_id,
    attempts.c.extracted,
    attempts.c.expected,
    attempts.c.answer,
    attempts.c.error_message,
)
_WRITTEN_KEY = cast(attempts.c.sample, Text) + ":" + cast(attempts.c.item_id, Text)
_SEARCHED_TEXTS = (attempts.c.answer_sha256, attempts.c.prompt_sha256)


def conditions(
    connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter
) -> list[ColumnElement[bool]]:
    dialect = connection.dialect.name
    found = [attempts.c.evaluation_id == evaluation_id]
    if wanted.outcomes:
        found.append(attempts.c.outcome.in_(names(wanted.outcomes)))
    if wanted.items is not None:
        found.append(attempts.c.item_id.in_(listed(map(storable, wanted.items), dialect)))
    if wanted.keys is not None:
        found.append(_WRITTEN_KEY.in_(listed(map(_written, wanted.keys), dialect)))
    if wanted.without:
        found.append(_WRITTEN_KEY.not_in(listed(map(_written, wanted.without), dialect)))
    found += _within(attempts.c.output_tokens, wanted.output_tokens)
    found += _within(_duration_ms(dialect), wanted.duration_ms)
    if wanted.search:
        found.append(_holds(connection, wanted.search))
    return found


def keys_of_page(
    connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter
) -> Select[Any, Any]:
    """The keys of a page in its order."""
    sorted_by = order(wanted, connection.dialect.name)
    keys = select(*KEY).where(*conditions(connection, evaluation_id, wanted))
    if wanted.is_one_per_item:
        number = func.row_number().over(partition_by=attempts.c.item_id, order_by=attempts.c.sample)
        numbered = keys.add_columns(number.label("number")).subquery()
        first = select(numbered.c.item_id, numbered.c.sample).where(numbered.c.number == 1)
        keys = select(*KEY).where(attempts.c.evaluation_id == evaluation_id, tuple_(*KEY).in_(first))
    if wanted.after is not None:
        keys = keys.where(tuple_(*KEY) > tuple_(*wanted.after))
    return keys.order_by(*sorted_by).limit(wanted.limit).offset(wanted.offset)


@dataclass(frozen=True, slots=True)
class FoundKeys:
    keys: tuple[AttemptKey, ...]
    total: int
    is_total_exact: bool = True


def keys_found(connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter) -> FoundKeys:
    """The keys of a page in its order, and the count of all pages."""
    if wanted.search and wanted.sort == "item" and wanted.after is None:
        return _first_matches(connection, evaluation_id, wanted)
    keys = keys_of_page(connection, evaluation_id, wanted)
    if wanted.is_whole:
        # An index has the page and the count; to number all rows takes seconds for half a million.
        page = tuple(AttemptKey(*row) for row in connection.execute(keys))
        return FoundKeys(page, count_of(connection, evaluation_id, wanted))
    rows = connection.execute(keys.add_columns(func.count().over().label("total"))).all()
    if not rows:
        return FoundKeys((), count_of(connection, evaluation_id, wanted) if wanted.offset else 0)
    return FoundKeys(tuple(AttemptKey(row.item_id, row.sample) for row in rows), rows[0].total)


def _first_matches(connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter) -> FoundKeys:
    """Counts some matches beyond the page, and looks for one more to tell whether there are more."""
    matching = conditions(connection, evaluation_id, wanted)
    if wanted.is_one_per_item:
        first = func.min(attempts.c.sample).label("sample")
        keys = select(attempts.c.item_id, first).where(*matching)
        keys = keys.group_by(attempts.c.item_id).order_by(attempts.c.item_id)
    else:
        keys = select(*KEY).where(*matching).order_by(*KEY)
    most = wanted.offset + max(wanted.limit, _COUNTED_AHEAD)
    rows = connection.execute(keys.limit(most + 1)).all()
    page = tuple(AttemptKey(*row) for row in rows[wanted.offset : wanted.offset + wanted.limit])
    return FoundKeys(page, min(len(rows), most), is_total_exact=len(rows) <= most)


def count_of(connection: Connection, evaluation_id: EvaluationId, wanted: AttemptFilter) -> int:
    counted = func.count(attempts.c.item_id.distinct()) if wanted.is_one_per_item else func.count()
    matching = conditions(connection, evaluation_id, wanted)
    return connection.execute(select(counted).select_from(attempts).where(*matching)).scalar_one()


def listed(values: Iterable[str], dialect: str) -> Select[str]:
    """Any number of texts as one parameter: one for each takes longer to prepare than the search."""
    return select(values_in(literal(orjson.dumps(list(values)).decode(), Text), dialect))


def values_in(texts: ColumnElement[str], dialect: str) -> ColumnElement[str]:
    """The members of a list of texts that is given as JSON."""
    if dialect == "postgresql":
        return func.json_array_elements_text(cast(texts, JSON)).column_valued("item")
    return func.json_each(texts).table_valued("value").c.value


def _within(figure: ColumnElement[Any], span: Span) -> list[ColumnElement[bool]]:
    least = [] if span.least is None else [figure >= span.least]
    return least if span.most is None else [*least, figure <= span.most]


def _written(key: AttemptKey) -> str:
    return f"{key.sample}:{storable(key.item_id)}"


def _holds(connection: Connection, part: str) -> ColumnElement[bool]:
    search = TextSearch(connection, part)
    return or_(
        *(contains(column, part, connection.dialect.name) for column in _SEARCHED),
        *(search.holds(sha256) for sha256 in _SEARCHED_TEXTS),
    )


def order(wanted: AttemptFilter, dialect: str) -> tuple[ColumnElement[Any], ...]:
    if wanted.sort == "item":
        return KEY
    figure = attempts.c.score if wanted.sort in {"score", "-score"} else _duration_ms(dialect)
    directed = figure.desc() if wanted.sort.startswith("-") else figure.asc()
    return directed.nulls_last(), *KEY


def names(outcomes: Collection[Outcome]) -> list[str]:
    return sorted(outcome.value for outcome in outcomes)


def _duration_ms(dialect: str) -> ColumnElement[Any]:
    start, end = attempts.c.started_at, attempts.c.finished_at
    if dialect == "postgresql":
        whole = extract("epoch", end.op("-")(start)) * 1000.0
    else:
        # Days as floats, exact to the millisecond.
        whole = func.round((func.julianday(end) - func.julianday(start)) * 86_400_000.0)
    return func.coalesce(attempts.c.stream_ms, whole)
