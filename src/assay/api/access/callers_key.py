"""The key that a caller gives for the models of a run, as bearer token."""

import re
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from assay.api.errors import ProblemError
from assay.domain.secret import Secret
from assay.engine.identity.access_keys import KEY_PREFIX

# What can stand in a header that is sent on, and no more than servers take.
_USABLE = re.compile(r"[!-~]{1,4096}")
_bearer = HTTPBearer(auto_error=False, description="The key that the models' endpoint wants")


async def _callers_key(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Secret:
    if credentials is not None and credentials.credentials.startswith(KEY_PREFIX):
        raise _refusal(
            "that is an access key of this server: send it as X-API-Key, and as bearer the model's"
        )
    if credentials is None or not _USABLE.fullmatch(credentials.credentials):
        raise _refusal(
            "this needs a header 'Authorization: Bearer KEY' with the key for the model's endpoint"
        )
    return Secret(credentials.credentials)


def _refusal(detail: str) -> ProblemError:
    headers = {"WWW-Authenticate": "Bearer"}
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, code="bearer-needed", headers=headers)


CallersKey = Annotated[Secret, Depends(_callers_key)]
