"""Load tests that the command line made."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.dependencies import Services
from assay.api.errors import problems
from assay.api.schemas.results.load_tests import LoadTest, LoadTestDetail, LoadTestList, LoadTestQuery

router = APIRouter(prefix="/api/load-tests", tags=["load tests"])


@router.get("", responses=problems(HTTPStatus.UNPROCESSABLE_ENTITY))
async def list_load_tests(services: Services, query: Annotated[LoadTestQuery, Query()]) -> LoadTestList:
    """A page of the load tests, newest first."""
    page = await services.stores.load_tests.page(limit=query.limit, offset=query.offset)
    return LoadTestList(
        load_tests=tuple(map(LoadTest.of, page.tests)),
        total=page.total,
        limit=query.limit,
        offset=query.offset,
    )


@router.get("/{test_id}", responses=problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY))
async def show_load_test(test_id: str, services: Services) -> LoadTestDetail:
    """One load test, with every level of it."""
    return LoadTestDetail.model_validate(await services.stores.load_tests.get(test_id))
