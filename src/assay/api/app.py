"""The HTTP API and the web UI as one ASGI application."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final

import orjson
from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute

from assay.api import web
from assay.api.access.actor import must_be_allowed
from assay.api.access.guard import Guard
from assay.api.dependencies import ApiServices
from assay.api.errors import PROBLEM_TYPE, install_error_handlers, problems
from assay.api.events.event_hub import HubOptions
from assay.api.openai_errors import openai_errors
from assay.api.process_memory import ProcessMemory
from assay.api.routes import (
    admin,
    answers,
    auth,
    catalogue,
    compare,
    control,
    dataset_runs,
    datasets,
    events,
    exports,
    items,
    leaderboard,
    models,
    openai_batches,
    openai_files,
    ops,
    reviews,
    runs,
    sandy,
    system,
)

# Of the interface, not of the program: it changes when a client would have to.
API_VERSION: Final = "1"
_FIRST_ERROR: Final = 400
# Whoever asks is answered there; everywhere else they may have to say who they are.
_OPEN: Final = (system, auth)
_ROUTERS: Final = (
    system,
    auth,
    catalogue,
    models,
    runs,
    control,
    items,
    reviews,
    events,
    exports,
    compare,
    leaderboard,
    ops,
    sandy,
    admin,
    answers,
    datasets,
    dataset_runs,
    openai_files,
    openai_batches,
)


class Api(FastAPI):
    """Describes error responses as what they are: problem details."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            for response in _error_responses(super().openapi()):
                [described] = response["content"].values()
                if described["schema"]["$ref"].endswith("Problem"):
                    response["content"] = {PROBLEM_TYPE: described}
        return super().openapi()


def create_app(services: ApiServices, *, hub: HubOptions | None = None) -> FastAPI:
    app = _described_api()
    app.state.services = services
    app.state.memory = ProcessMemory.of(
        services.engine,
        hub or HubOptions(),
        examine=services.examine_sandboxes,
        catalogues=services.catalogues,
    )
    app.add_middleware(Guard, hosts=services.hosts, upload_bytes=services.upload_bytes)
    web.install_web(app, version=services.version, ui=services.ui)
    return app


def close_streams(app: FastAPI) -> None:
    """End all streams of events, which would hold up the end of the server; their clients resume."""
    memory: ProcessMemory = app.state.memory
    memory.events.close()


def openapi_document() -> bytes:
    """The description that the UI's types are made from, in one byte form."""
    return orjson.dumps(_described_api().openapi(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _described_api() -> Api:
    # FastAPI's documentation pages load scripts from a CDN, which the content policy forbids.
    app = Api(
        title="Assay",
        summary="Benchmark any model. Prove every score.",
        version=API_VERSION,
        openapi_url=web.OPENAPI_PATH,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_id,
        # Any request may come under a wrong name, or while the store is away.
        responses=problems(HTTPStatus.MISDIRECTED_REQUEST, HTTPStatus.SERVICE_UNAVAILABLE),
    )
    install_error_handlers(app)
    for module in _ROUTERS:
        if module in _OPEN:
            app.include_router(module.router)
            continue
        is_openai = module in (openai_files, openai_batches)
        refusals = (openai_errors if is_openai else problems)(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
        app.include_router(module.router, dependencies=[Depends(must_be_allowed)], responses=refusals)
    # FastAPI keeps those of an included router to itself.
    app.state.routes = tuple(
        route for module in _ROUTERS for route in module.router.routes if isinstance(route, APIRoute)
    )
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name


def _error_responses(description: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in description["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                if int(status) >= _FIRST_ERROR:
                    yield response
