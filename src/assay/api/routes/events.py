"""Live events."""

from datetime import timedelta
from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Header, Query

from assay.api.dependencies import Events, Services
from assay.api.errors import Responses, problems
from assay.api.events.event_stream import EventStream
from assay.api.schemas.events import RunEvent

router = APIRouter(prefix="/api", tags=["events"])

_HIGHEST_ID = 2**63 - 1
_STREAM: Responses = {200: {"model": RunEvent, "description": "Server-sent events, each with this as `data`"}}
_RESUME = "The id of the last event received; browsers send it as header, which takes precedence"

InHeader = Annotated[int | None, Header(alias="Last-Event-ID", ge=0, le=_HIGHEST_ID, description=_RESUME)]
InQuery = Annotated[int | None, Query(alias="Last-Event-ID", ge=0, le=_HIGHEST_ID, description=_RESUME)]


@router.get(
    "/runs/{run_id}/events",
    status_code=HTTPStatus.OK,
    response_class=EventStream,
    responses=_STREAM | problems(HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def stream_run_events(
    run_id: str, services: Services, events: Events, header: InHeader = None, query: InQuery = None
) -> EventStream:
    """All events of a run from the first on; ends with an event named `done` when the run is over."""
    run = await services.stores.runs.get(run_id)
    settling = timedelta(seconds=events.options.settle_s)
    is_long_over = run.finished_at is not None and services.clock.now() - run.finished_at > settling
    after = query if header is None else header
    return EventStream(events, run.id, after=after, is_long_over=is_long_over, viewer=services.viewer)


@router.get(
    "/events",
    status_code=HTTPStatus.OK,
    response_class=EventStream,
    responses=_STREAM | problems(HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def stream_events(
    services: Services, events: Events, header: InHeader = None, query: InQuery = None
) -> EventStream:
    """The events of all runs, from now on or after the given one; never ends."""
    return EventStream(events, after=query if header is None else header, viewer=services.viewer)
