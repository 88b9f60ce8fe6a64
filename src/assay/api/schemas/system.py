"""About the installation itself."""

from typing import Literal

from pydantic import Field

from assay.api.schemas.fields import Body, FreeText, Schema


class Health(Schema):
    status: Literal["healthy"] = "healthy"


class Status(Schema):
    """Counts of runs. `idle` says that no worker has anything in hand, also if runs wait to go on."""

    maintenance_mode: bool
    message: FreeText
    version: str
    running: int
    queued: int
    paused: int
    idle: bool


class Done(Schema):
    success: Literal[True] = True
    message: FreeText


class MaintenanceRequest(Body):
    enabled: bool
    message: str | None = Field(
        default=None, max_length=1_000, description="What callers are told; left out, the message stays"
    )
