"""Streamed events, in the contract of the bench runner extended by run and model."""

from typing import Self

from pydantic import Field, JsonValue

from assay.api.schemas.fields import FreeText, Moment, Schema, StoredMessage, json_object
from assay.domain.event import Event, EventType


class RunEvent(Schema):
    """The `data` of one server-sent event; its `id` is the one to resume from."""

    id: str = Field(description="An integer that grows with time")
    event_type: EventType
    benchmark_name: str | None
    message: StoredMessage
    data: dict[str, JsonValue]
    created_at: Moment
    run_id: str
    model: FreeText | None

    @classmethod
    def of(cls, event: Event) -> Self:
        return cls(
            id=str(event.id),
            event_type=event.type,
            benchmark_name=event.benchmark,
            message=event.message,
            data=json_object(event.data),
            created_at=event.created_at,
            run_id=event.run_id,
            model=event.model,
        )


def frame(event: Event) -> bytes:
    """One server-sent event, without a name, so that the default handler of browsers receives it."""
    return f"id: {event.id}\ndata: {RunEvent.of(event).model_dump_json()}\n\n".encode()
