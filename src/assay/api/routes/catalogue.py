"""The installed benchmarks."""

from fastapi import APIRouter

from assay.api.dependencies import Services
from assay.api.schemas.catalogue import BenchmarkList

router = APIRouter(prefix="/api", tags=["benchmarks"])


@router.get("/benchmarks")
async def list_benchmarks(services: Services) -> BenchmarkList:
    return BenchmarkList.of(services.catalogue)
