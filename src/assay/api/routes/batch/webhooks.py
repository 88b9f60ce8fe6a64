"""Webhooks that could not be delivered."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query

from assay.api.dependencies import Services
from assay.api.openai_errors import OpenAIRoute, openai_errors
from assay.api.schemas.batch.webhooks import LostWebhook, LostWebhookList

router = APIRouter(
    prefix="/v1/webhooks",
    tags=["OpenAI batch"],
    route_class=OpenAIRoute,
    responses=openai_errors(HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY),
)


@router.get("/dead-letter")
async def list_lost_webhooks(
    services: Services,
    limit: Annotated[int, Query(ge=1, le=1_000, description="Webhooks on a page")] = 100,
    offset: Annotated[int, Query(ge=0, le=10**12, description="Webhooks to skip")] = 0,
) -> LostWebhookList:
    """The webhooks that were given up after the last try."""
    found, total = await services.stores.webhooks.given_up(limit=limit, offset=offset)
    seen = await services.stores.runs.seen([one.run_id for one in found])
    return LostWebhookList(
        data=tuple(LostWebhook.of(one) for one in found if one.run_id in seen),
        has_more=offset + len(found) < total,
        total=total,
    )
