"""The answers of several evaluations side by side."""

from collections.abc import Hashable, Mapping, Sequence

from assay.api.caches import ApiCaches
from assay.api.schemas.results.answers import (
    AnswerCell,
    AnswerComparison,
    AnswerQuery,
    AnswerRow,
    PairAgreement,
)
from assay.api.schemas.results.comparisons import Side
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.review import Annotation
from assay.domain.run import Evaluation
from assay.engine.results.agreement import Agreements, Likeness, agreements
from assay.engine.results.batch_output import attempts_in_order
from assay.engine.stores import Stores

_Annotations = Mapping[AttemptKey, Annotation]
_Column = tuple[Mapping[ItemId, Attempt], _Annotations]


async def answer_table(
    stores: Stores, evaluations: Sequence[Evaluation], wanted: AnswerQuery, caches: ApiCaches
) -> AnswerComparison:
    found = await cached_agreements(stores, evaluations, wanted.by, caches)
    chosen = found.chosen(wanted.show)
    page = chosen[wanted.offset : wanted.offset + wanted.limit]
    columns = [await _column(stores, one, page) for one in evaluations]
    return AnswerComparison(
        evaluations=tuple(Side.of(one) for one in evaluations),
        by=wanted.by,
        agreement=tuple(PairAgreement.of(one) for one in found.pairs),
        items=tuple(_row(item_id, columns, is_same=found.likeness[item_id]) for item_id in page),
        total=len(chosen),
    )


async def cached_agreements(
    stores: Stores, evaluations: Sequence[Evaluation], likeness: Likeness, caches: ApiCaches
) -> Agreements:
    """Cached if all evaluations have ended: they change only if they are opened again."""

    async def read() -> Agreements:
        return await agreements(stores.attempts, evaluations, likeness)

    if not all(one.state.is_final for one in evaluations):
        return await read()
    key: Hashable = (likeness, *((one.id, one.finished_at) for one in evaluations))
    return await caches.agreements.get(key, read)


async def _column(stores: Stores, evaluation: Evaluation, page: Sequence[ItemId]) -> _Column:
    annotations = {one.key: one for one in await stores.reviews.annotations(evaluation.id)}
    attempts = attempts_in_order(stores.attempts, evaluation, page)
    return {one.item_id: one async for one in attempts if one.sample == 0}, annotations


def _row(item_id: ItemId, columns: Sequence[_Column], *, is_same: bool | None) -> AnswerRow:
    attempts = [column.get(item_id) for column, _annotations in columns]
    known = next((one for one in attempts if one is not None), None)
    first = attempts[0]
    cells = tuple(
        attempt
        and AnswerCell.of(attempt, first if attempt is not first else None, annotations.get(attempt.key))
        for attempt, (_column, annotations) in zip(attempts, columns, strict=True)
    )
    return AnswerRow(
        item_id=item_id,
        prompt=known.prompt if known else "",
        expected=known.expected if known else None,
        is_same=is_same,
        cells=cells,
    )
