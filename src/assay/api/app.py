"""The HTTP API and the web UI as one ASGI application."""

from collections.abc import Iterator
from typing import Any, Final

import orjson
from fastapi import FastAPI
from fastapi.routing import APIRoute

from assay.api import web
from assay.api.dependencies import ApiServices
from assay.api.errors import PROBLEM_TYPE, install_error_handlers
from assay.api.routes import catalogue, items, runs, system

# Of the interface, not of the program: it changes when a client would have to.
API_VERSION: Final = "1"
_FIRST_ERROR: Final = 400


class Api(FastAPI):
    """Describes error responses as what they are: problem details."""

    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            for response in _error_responses(super().openapi()):
                response["content"] = {PROBLEM_TYPE: response["content"]["application/json"]}
        return super().openapi()


def create_app(services: ApiServices) -> FastAPI:
    app = _described_api()
    app.state.services = services
    web.install_web(app, version=services.version, ui=services.ui)
    return app


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
    )
    install_error_handlers(app)
    for router in (system.router, catalogue.router, runs.router, items.router):
        app.include_router(router)
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name


def _error_responses(description: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in description["paths"].values():
        for operation in path.values():
            for status, response in operation["responses"].items():
                if int(status) >= _FIRST_ERROR:
                    yield response
