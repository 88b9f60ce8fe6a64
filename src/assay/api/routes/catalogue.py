"""The benchmarks that can be run."""

import asyncio

from fastapi import APIRouter

from assay.api.dependencies import Caches, Services
from assay.api.schemas.catalogue import BenchmarkList

router = APIRouter(prefix="/api", tags=["benchmarks"])


@router.get("/benchmarks")
async def list_benchmarks(services: Services, caches: Caches) -> BenchmarkList:
    """The installed benchmarks, the newest version of each uploaded data set, and those that need setup."""
    newest = {one.name: one for one in reversed(await services.stores.datasets.list())}
    library = services.engine.planner.library
    latencies_ms = await caches.item_latencies_ms.get()
    return await asyncio.to_thread(
        BenchmarkList.of, services.catalogue, library, newest.values(), latencies_ms
    )
