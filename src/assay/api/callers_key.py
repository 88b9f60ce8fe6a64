"""The key that a caller gives for the models of a run, as bearer token."""

import re
from http import HTTPStatus
from typing import Annotated

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from assay.api.errors import ProblemError
from assay.domain.secret import Secret

# What can stand in a header that is sent on, and no more than servers take.
_USABLE = re.compile(r"[!-~]{1,4096}")
_bearer = HTTPBearer(auto_error=False, description="The key that the models' endpoint wants")


def _callers_key(credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]) -> Secret:
    if credentials is None or not _USABLE.fullmatch(credentials.credentials):
        raise ProblemError(
            HTTPStatus.UNAUTHORIZED,
            "this needs a header 'Authorization: Bearer KEY' with the key for the model's endpoint",
            code="bearer-needed",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return Secret(credentials.credentials)


CallersKey = Annotated[Secret, Depends(_callers_key)]
