"""How many items it takes to tell two models apart."""

from http import HTTPStatus
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from assay.api.dependencies import Services
from assay.api.errors import problems
from assay.api.schemas.fields import BenchmarkName
from assay.api.schemas.results.sample_sizes import SampleSizes
from assay.engine.results.sample_size import SampleSizeRequest, compared_benchmark, stored_spread

router = APIRouter(prefix="/api", tags=["comparison"])

_SCORE = 0.5


@router.get("/sample-size", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_sample_size(  # one parameter for each query parameter
    services: Services,
    benchmark: Annotated[
        BenchmarkName, Query(min_length=1, max_length=500, description="Name of a benchmark")
    ],
    *,
    difference: Annotated[float, Query(gt=0, le=0.5, description="Difference to find: 0.02 is 2 points")],
    score: Annotated[
        float | None, Query(ge=0, le=1, description="What one model scores; by default the stored median")
    ] = None,
    alpha: Annotated[
        float, Query(gt=0, lt=0.5, description="Chance of a difference where there is none")
    ] = 0.05,
    power: Annotated[float, Query(ge=0.5, lt=1, description="Chance of finding the difference")] = 0.9,
    data: Annotated[Literal["official", "demo"], Query(description="Of the stored runs")] = "official",
) -> SampleSizes:
    """Items to find the difference, from the spread in stored runs where there are any."""
    asked = await compared_benchmark(services.stores, services.catalogue, benchmark)
    spread = await stored_spread(services.stores, asked.name, version=asked.version, data=data)
    expected = spread.score if score is None else score
    wanted = SampleSizeRequest(_SCORE if expected is None else expected, difference, alpha, power)
    return SampleSizes.of(asked, wanted, spread)
