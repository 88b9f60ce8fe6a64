"""On whose behalf a run is started, and with whose token."""

from dataclasses import replace
from http import HTTPStatus
from typing import Final

from assay.api.access.actor import SESSION_COOKIE, Actor
from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError
from assay.api.runs.registered_names import with_registered_names
from assay.api.runs.run_spec import must_be_of_one_provider, providers_of
from assay.api.schemas.run_request import RunRequest
from assay.domain.errors import UnauthorizedError
from assay.domain.identity import INVOKE_SCOPE
from assay.engine.execution.create import Caller

# The one that the tokens of the identity provider are for; nobody else is sent them.
_PROVIDER: Final = "chutes"


async def signed_in_caller(request: RunRequest, actor: Actor, services: ApiServices) -> Caller:
    """Without a login the server's own keys are used; one that has ended is refused, not ignored."""
    if actor.had_session:
        raise _expired("your session has ended; sign in again")
    caller = Caller(owner=actor.owner)
    if actor.session is None or services.sign_in is None:
        return caller
    if not actor.session.may_invoke:
        detail = f"your login does not include {INVOKE_SCOPE!r}; sign in again and allow it"
        raise ProblemError(HTTPStatus.FORBIDDEN, detail, code="scope-needed")
    named = await with_registered_names(request, services)
    if _PROVIDER not in providers_of(named, services):
        return caller
    must_be_of_one_provider(named, services)
    try:
        token = await services.sign_in.access_token(actor.session.id)
    except UnauthorizedError as error:
        raise _expired(error.message) from error
    return replace(caller, api_key=token, session_id=actor.session.id)


def _expired(detail: str) -> ProblemError:
    headers = {
        "WWW-Authenticate": "Cookie",
        # So that the browser does not go on showing it.
        "Set-Cookie": f"{SESSION_COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
    }
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, code="session-ended", headers=headers)
