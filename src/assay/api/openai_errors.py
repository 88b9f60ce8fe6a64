"""Errors in the form of the OpenAI API."""

from collections.abc import Callable, Coroutine, Mapping
from http import HTTPStatus
from typing import Any, Literal

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from assay.api.errors import (
    ProblemError,
    Responses,
    code_of,
    http_detail,
    phrase,
    shown_message,
    status_of,
    unreadable_body,
)
from assay.api.schemas.fields import FreeText, Schema
from assay.domain.errors import AssayError

_SERVER_FAULT = 500
_INVALID = 400


class OpenAIFault(Schema):
    message: FreeText
    type: Literal["server_error", "invalid_request_error"]
    param: str | None
    code: str


class OpenAIError(Schema):
    error: OpenAIFault


def openai_errors(*statuses: HTTPStatus) -> Responses:
    """The error responses of an endpoint, for its OpenAPI description."""
    return {int(status): {"model": OpenAIError, "description": phrase(status)} for status in statuses}


class OpenAIRoute(APIRoute):
    """Responds with `{"error": {...}}` instead of problem details."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            try:
                return await handle(request)
            except AssayError as error:
                return _response(status_of(error), shown_message(error, request), error.code)
            except ProblemError as error:
                problem = error.problem
                return _response(problem.status, problem.detail, problem.code, headers=error.headers)
            except RequestValidationError as error:
                if (detail := unreadable_body(request, error)) is not None:
                    return _response(_INVALID, detail, "bad-request")
                first = error.errors()[0]
                field = ".".join(str(part) for part in first["loc"][1:]) or "body"
                return _response(_INVALID, f"{field}: {first['msg']}", "invalid-request", param=field)
            except HTTPException as error:
                status = HTTPStatus(error.status_code)
                return _response(status, http_detail(error), code_of(status))

        return handler


def _response(
    status: int,
    message: str,
    code: str,
    *,
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    kind = "server_error" if status >= _SERVER_FAULT else "invalid_request_error"
    error = OpenAIError(error=OpenAIFault(message=message, type=kind, param=param, code=code))
    return Response(
        error.model_dump_json(), status_code=status, media_type="application/json", headers=headers
    )
