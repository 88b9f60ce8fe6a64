"""The installation, as responses."""

from typing import Literal

from pydantic import Field

from assay.api.schemas.fields import Body, FreeText, Schema


class Health(Schema):
    status: Literal["healthy"] = "healthy"


class Status(Schema):
    """Numbers of runs. `idle` means that no worker executes a shard, even if runs are waiting."""

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
        default=None, max_length=1_000, description="The message for callers; by default unchanged"
    )
