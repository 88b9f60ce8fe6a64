"""The ranking of models on a benchmark."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.dependencies import Caches, Services
from assay.api.errors import problems
from assay.api.schemas.fields import BenchmarkName
from assay.api.schemas.results.leaderboard import Leaderboard, LeaderboardTable, UnrankedEvaluation
from assay.domain.datasets.dataset import is_dataset
from assay.engine.results.leaderboard import entries, leaderboard

router = APIRouter(prefix="/api", tags=["comparison"])

_UNRANKED_SHOWN = 50


@router.get("/leaderboard", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_leaderboard(
    services: Services,
    caches: Caches,
    benchmark: Annotated[
        BenchmarkName, Query(min_length=1, max_length=500, description="Name of a benchmark")
    ],
) -> Leaderboard:
    """Rank the best run of each model; runs that cannot be ranked are listed with the reason."""
    found = await entries(services.stores.runs, benchmark)
    if not found and not is_dataset(benchmark):
        # Raises for a name that is not an installed benchmark; those have an empty leaderboard.
        services.catalogue.get(benchmark)
    board = await leaderboard(found, caches.pairs)
    return Leaderboard(
        benchmark=benchmark,
        tables=tuple(LeaderboardTable.of(table) for table in board.tables),
        unranked=tuple(UnrankedEvaluation.of(one) for one in board.unranked[:_UNRANKED_SHOWN]),
        unranked_total=len(board.unranked),
    )
