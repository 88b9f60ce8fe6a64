"""Responses about the installation itself."""

from typing import Literal

from assay.api.schemas.fields import Schema


class Health(Schema):
    status: Literal["healthy"] = "healthy"


class Status(Schema):
    maintenance_mode: bool
    message: str
    version: str
    running: int
    queued: int
