"""The token that calls of the code harness need if they change something."""

from http import HTTPStatus
from typing import Final

from fastapi import Depends
from starlette.requests import HTTPConnection

from assay.api.access.actor import is_benchmark_token, key_throttle
from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError
from assay.engine.identity.sign_in import hashed

_PREFIX: Final = "Bearer "


async def _require_token(connection: HTTPConnection) -> None:
    services: ApiServices = connection.app.state.services
    if not services.benchmark_token:
        return
    header = connection.headers.get("authorization", "")
    if not header.startswith(_PREFIX):
        raise _refusal("this needs a header 'Authorization: Bearer TOKEN' with the BENCHMARK_API_TOKEN")
    given = header.removeprefix(_PREFIX)
    throttle, address = key_throttle(connection)
    throttle.require_allowed(address, hashed(given))
    if not is_benchmark_token(given, services):
        throttle.note_wrong(address)
        raise _refusal("the bearer token is not the BENCHMARK_API_TOKEN of this server")
    throttle.note_right(hashed(given))


def _refusal(detail: str) -> ProblemError:
    headers = {"WWW-Authenticate": "Bearer"}
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, code="benchmark-token-needed", headers=headers)


# After `require_access`, which decides who may do what.
BENCHMARK_TOKEN: Final = Depends(_require_token)
