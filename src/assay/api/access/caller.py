"""On whose behalf a run is started, and with whose key its models are called."""

import re
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from assay.api.access.actor import SESSION_COOKIE, Actor
from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError
from assay.api.runs.model_names import providers_of, require_one_provider, with_registered_names
from assay.api.schemas.run_request import RunRequest
from assay.domain.errors import UnauthorizedError
from assay.domain.identity import INVOKE_SCOPE
from assay.domain.secret import Secret
from assay.engine.execution.create import Caller
from assay.engine.identity.access_keys import KEY_PREFIX

# Tokens of the identity provider are sent to this provider only.
_PROVIDER: Final = "chutes"
# Characters that may be sent on in a header, and a length that servers accept.
_USABLE_KEY = re.compile(r"[!-~]{1,4096}")
_bearer = HTTPBearer(auto_error=False, description="The API key for the models' endpoint")


async def _bearer_key(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Secret:
    if credentials is not None and credentials.credentials.startswith(KEY_PREFIX):
        raise _bearer_needed(
            "this is an access key of this server: send it as X-API-Key,"
            " and the key for the model's endpoint as bearer token"
        )
    if credentials is None or not _USABLE_KEY.fullmatch(credentials.credentials):
        raise _bearer_needed(
            "this needs a header 'Authorization: Bearer KEY' with the key for the model's endpoint"
        )
    return Secret(credentials.credentials)


def _bearer_needed(detail: str) -> ProblemError:
    headers = {"WWW-Authenticate": "Bearer"}
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, code="bearer-needed", headers=headers)


BearerKey = Annotated[Secret, Depends(_bearer_key)]


async def signed_in_caller(request: RunRequest, actor: Actor, services: ApiServices) -> Caller:
    """Without a session the server's own keys are used; an expired session is refused, not ignored."""
    if actor.had_session:
        raise _expired("your session has ended; sign in again")
    caller = Caller(owner=actor.owner)
    if actor.session is None or services.sign_in is None:
        return caller
    if not actor.session.may_invoke:
        detail = f"your session does not include {INVOKE_SCOPE!r}; sign in again and allow it"
        raise ProblemError(HTTPStatus.FORBIDDEN, detail, code="scope-needed")
    named = await with_registered_names(request, services)
    if _PROVIDER not in providers_of(named, services):
        return caller
    require_one_provider(named, services)
    try:
        token = await services.sign_in.access_token(actor.session.id)
    except UnauthorizedError as error:
        raise _expired(error.message) from error
    return replace(caller, api_key=token, session_id=actor.session.id)


def _expired(detail: str) -> ProblemError:
    headers = {
        "WWW-Authenticate": "Cookie",
        # Removes the expired cookie from the browser.
        "Set-Cookie": f"{SESSION_COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
    }
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, code="session-ended", headers=headers)
