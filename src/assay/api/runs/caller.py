"""On whose behalf a run is started, and with whose key its models are called."""

from collections.abc import Sequence
from dataclasses import replace
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from assay.api.access.actor import Actor, CurrentActor, session_ended
from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError
from assay.api.runs.model_names import providers_of, require_one_provider
from assay.domain.access.identity import INVOKE_SCOPE
from assay.domain.errors import UnauthorizedError
from assay.engine.execution.create import Caller
from assay.engine.identity.access_keys import KEY_PREFIX

# Tokens of the identity provider are sent to this provider only.
_PROVIDER: Final = "chutes"
_bearer = HTTPBearer(auto_error=False, description="The API key for the models' endpoint")


async def _require_bearer_key(
    actor: CurrentActor, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> None:
    if credentials is not None and credentials.credentials.startswith(KEY_PREFIX):
        raise _bearer_needed(
            "this is an access key of this server: send it as X-API-Key,"
            " and the key for the model's endpoint as bearer token"
        )
    if actor.key is None:
        raise _bearer_needed(
            "this needs a header 'Authorization: Bearer KEY' with the key for the model's endpoint"
        )


def _bearer_needed(detail: str) -> ProblemError:
    headers = {"WWW-Authenticate": "Bearer"}
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, code="bearer-needed", headers=headers)


BEARER_KEY: Final = Depends(_require_bearer_key)


async def caller_for(models: Sequence[str], actor: Actor, services: ApiServices) -> Caller:
    """Whose keys the models are called with: the caller's own, those of a login, or the server's."""
    providers = providers_of(models)
    if actor.key is not None and providers:
        require_one_provider(models)
        owner = actor.owner or services.engine.credentials.vault.pseudonym(actor.key)
        return Caller(owner=owner, api_key=actor.key)
    caller = Caller(owner=actor.owner)
    if actor.session is None or services.sign_in is None or _PROVIDER not in providers:
        return caller
    if not services.sign_in.lends_tokens:
        return caller
    if not actor.session.may_invoke:
        detail = (
            f"your session does not include {INVOKE_SCOPE!r}, which models of {_PROVIDER!r} need:"
            " sign in again and allow it, or name a model of another provider"
        )
        raise ProblemError(HTTPStatus.FORBIDDEN, detail, code="scope-needed")
    require_one_provider(models)
    try:
        token = await services.sign_in.access_token(actor.session.id)
    except UnauthorizedError as error:
        raise session_ended(error.message) from error
    return replace(caller, api_key=token, session_id=actor.session.id)
