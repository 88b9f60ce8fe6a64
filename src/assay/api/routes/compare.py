"""Is this model better than that one?"""

import itertools
from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.access.text_access import Access
from assay.api.dependencies import Services
from assay.api.errors import invalid, problems
from assay.api.results.item_matrix import ItemPageQuery, item_matrix
from assay.api.schemas.comparisons import CompareQuery, Comparison, ComparisonResult, Side
from assay.domain.errors import UnknownNameError
from assay.domain.run import Evaluation
from assay.engine.results.compare import compare, model_pairs
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter

router = APIRouter(prefix="/api", tags=["comparison"])

_MOST_PAIRS = 45
_PAGE = 200


@router.get(
    "/compare",
    responses=problems(HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def compare_evaluations(
    services: Services, access: Access, wanted: Annotated[CompareQuery, Query()]
) -> ComparisonResult:
    """Compare every two evaluations of the same benchmark, item by item."""
    stores = services.stores
    evaluations = await asked_evaluations(stores, wanted)
    pairs = model_pairs(evaluations)
    if not pairs:
        raise invalid(
            "evaluation", "nothing to compare: name two evaluations of one benchmark, or runs of them"
        )
    if len(pairs) > _MOST_PAIRS:
        raise invalid(
            "evaluation", f"{len(pairs)} pairs are too many to compare at once; {_MOST_PAIRS} is the most"
        )
    if wanted.items and len({one.benchmark for one in evaluations}) > 1:
        raise invalid("items", "items can be shown of one benchmark only; name evaluations of one")
    is_hidden = any(access.hides(one, reveal=wanted.reveal) for one in evaluations)
    page = ItemPageQuery(wanted.items, wanted.limit, wanted.cursor, is_hidden) if wanted.items else None
    return ComparisonResult(
        evaluations=tuple(Side.of(one) for one in evaluations),
        comparisons=tuple(Comparison.of(one) for one in await compare(stores.attempts, pairs)),
        items=await item_matrix(stores, evaluations, page) if page else None,
    )


async def asked_evaluations(stores: Stores, wanted: CompareQuery) -> list[Evaluation]:
    of_runs = [
        one
        for run_id in wanted.run
        for one in await stores.runs.evaluations((await stores.runs.run(run_id)).id)
    ]
    if not wanted.evaluation:
        return of_runs
    known = {one.id: one for one in of_runs} if wanted.run else await _found(stores, wanted.evaluation)
    by_id: dict[str, Evaluation] = {str(evaluation_id): one for evaluation_id, one in known.items()}
    for evaluation_id in wanted.evaluation:
        if evaluation_id not in by_id:
            raise UnknownNameError("evaluation", evaluation_id)
    return [by_id[evaluation_id] for evaluation_id in dict.fromkeys(wanted.evaluation)]


async def _found(stores: Stores, ids: Sequence[str]) -> dict[str, Evaluation]:
    """Looked for from the newest run on: the store knows evaluations by their run only."""
    missing, found = set(ids), dict[str, Evaluation]()
    for offset in itertools.count(step=_PAGE):
        page = await stores.runs.list_runs(RunFilter(limit=_PAGE, offset=offset))
        for own in (await stores.runs.evaluations_of([run.id for run in page.runs])).values():
            found |= {one.id: one for one in own if one.id in missing}
        if len(found) == len(missing) or offset + _PAGE >= page.total:
            return found
    return found
