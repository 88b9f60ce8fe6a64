"""Compares evaluations with each other."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from fastapi.responses import Response

from assay.api.access.text_access import Access
from assay.api.dependencies import Services
from assay.api.errors import invalid, problems
from assay.api.results.item_matrix import ItemPageQuery, item_matrix
from assay.api.runs.run_pages import run_pages
from assay.api.schemas.items import REVEAL
from assay.api.schemas.results.comparisons import CompareQuery, Comparison, ComparisonResult, Side
from assay.api.streams import file_response
from assay.domain.errors import UnknownNameError
from assay.domain.run import Evaluation
from assay.engine.exports.comparison import comparison_content, comparison_html, comparison_markdown
from assay.engine.results.compare import compare, model_pairs
from assay.engine.results.noise_floor import repeat_variances, with_noise_floors
from assay.engine.stores.runs import RunStore

router = APIRouter(prefix="/api", tags=["comparison"])

_MAX_PAIRS = 45
_FILES: dict[int | str, dict[str, object]] = {
    200: {
        "description": "The file",
        "content": {
            kind: {"schema": {"type": "string", "format": "binary"}}
            for kind in ("text/html", "text/markdown")
        },
    }
}


@router.get(
    "/compare",
    responses=problems(HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def compare_evaluations(
    services: Services, access: Access, wanted: Annotated[CompareQuery, Query()]
) -> ComparisonResult:
    """Compare each pair of evaluations of the same benchmark, item by item."""
    stores = services.stores
    evaluations = await requested_evaluations(stores.runs, wanted)
    pairs = model_pairs(evaluations)
    if not pairs:
        raise invalid(
            "evaluation", "nothing to compare: give two evaluations of one benchmark, or runs that have them"
        )
    if len(pairs) > _MAX_PAIRS:
        raise invalid(
            "evaluation", f"{len(pairs)} pairs are too many to compare at once; the limit is {_MAX_PAIRS}"
        )
    if wanted.items and len({one.benchmark for one in evaluations}) > 1:
        raise invalid("items", "items can be shown for one benchmark only; give evaluations of one benchmark")
    variances = await repeat_variances(stores.runs, evaluations)
    compared = with_noise_floors(await compare(stores.attempts, pairs), variances)
    is_hidden = any(access.hides(one, reveal=wanted.reveal) for one in evaluations)
    page = ItemPageQuery(wanted.items, wanted.limit, wanted.cursor, is_hidden) if wanted.items else None
    return ComparisonResult(
        evaluations=tuple(Side.of(one) for one in evaluations),
        comparisons=tuple(Comparison.of(one) for one in compared),
        items=await item_matrix(stores.attempts, evaluations, page) if page else None,
    )


@router.get(
    "/compare/report",
    response_class=Response,
    responses=_FILES
    | problems(
        HTTPStatus.BAD_REQUEST, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY
    ),
)
async def report_comparison(
    services: Services,
    access: Access,
    run: Annotated[list[str], Query(min_length=1, max_length=20, description="Id of a run")],
    wanted: Annotated[Literal["html", "markdown"], Query(alias="format")] = "html",
    reveal: Annotated[bool, Query(description=REVEAL)] = False,  # noqa: FBT002 # a query parameter is named
) -> Response:
    """Compare every two evaluations of one benchmark in the runs, as a file for people."""
    content = await comparison_content(services.stores, services.catalogue, run, reveal=reveal)
    for one in content.evaluations:
        access.hides(one, reveal=reveal)
    if wanted == "html":
        return file_response(comparison_html(content), name="comparison.html", media_type="text/html")
    text = comparison_markdown(content).encode("utf-8", "replace")
    headers = {"Content-Disposition": 'attachment; filename="comparison.md"'}
    return Response(text, media_type="text/markdown", headers=headers)


async def requested_evaluations(runs: RunStore, wanted: CompareQuery) -> list[Evaluation]:
    of_runs = [one for run_id in wanted.run for one in await runs.evaluations((await runs.get(run_id)).id)]
    if not wanted.evaluation:
        return of_runs
    known = {one.id: one for one in of_runs} if wanted.run else await _found(runs, wanted.evaluation)
    by_id: dict[str, Evaluation] = {str(evaluation_id): one for evaluation_id, one in known.items()}
    for evaluation_id in wanted.evaluation:
        if evaluation_id not in by_id:
            raise UnknownNameError("evaluation", evaluation_id)
    return [by_id[evaluation_id] for evaluation_id in dict.fromkeys(wanted.evaluation)]


async def _found(runs: RunStore, ids: Sequence[str]) -> dict[str, Evaluation]:
    """Search from the newest run on, because the store finds evaluations by their run only."""
    missing, found = set(ids), dict[str, Evaluation]()
    async for page in run_pages(runs):
        for evaluations in (await runs.evaluations_of([run.id for run in page])).values():
            found |= {one.id: one for one in evaluations if one.id in missing}
        if len(found) == len(missing):
            break
    return found
