"""What the HTTP API is wired with, and how an endpoint asks for it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request

from assay.api.web import installed_ui
from assay.engine.catalogue import Catalogue
from assay.engine.fleet import FleetStore


@dataclass(frozen=True, slots=True)
class ApiServices:
    """The objects behind the endpoints, built once per process; `ui` is the folder of the built web UI."""

    store: FleetStore
    catalogue: Catalogue
    version: str
    maintenance: bool = False
    maintenance_message: str = ""
    ui: Path | None = field(default_factory=installed_ui)


def _services(request: Request) -> ApiServices:
    services: ApiServices = request.app.state.services
    return services


Services = Annotated[ApiServices, Depends(_services)]
