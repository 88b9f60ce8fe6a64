"""What anybody may call: whether the server answers, and the addresses of the pages of the harness."""

from fastapi import APIRouter
from fastapi.responses import RedirectResponse

from assay.api.harness.ids import is_run_id
from assay.api.schemas.harness import HarnessHealth
from assay.api.web import UI_PATH

router = APIRouter(tags=["code harness"])

_READS = ["GET", "HEAD"]


@router.get("/health")
async def harness_health() -> HarnessHealth:
    """Whether this process answers; needs neither the database nor a key."""
    return HarnessHealth()


@router.api_route(f"{UI_PATH}/index.html", methods=_READS, include_in_schema=False)
async def dashboard() -> RedirectResponse:
    return RedirectResponse(f"{UI_PATH}/")


@router.api_route(f"{UI_PATH}/run.html", methods=_READS, include_in_schema=False)
async def run_page(run_id: str = "") -> RedirectResponse:
    """Only ids are passed on: the address must not lead elsewhere."""
    return RedirectResponse(f"{UI_PATH}/runs/{run_id}" if is_run_id(run_id) else f"{UI_PATH}/")
