"""The cookies of a login in progress and of a session."""

from typing import Final

from fastapi import Request
from starlette.responses import Response

from assay.api.access.actor import SESSION_COOKIE
from assay.domain.access.secret import Secret
from assay.engine.identity.sign_in import LOGIN_LASTS, SESSION_LASTS

LOGIN_COOKIE: Final = "bench_login"
_LOGIN_PATH: Final = "/api/auth"


def is_https(request: Request, frontend_url: str | None) -> bool:
    """Behind a proxy the request does not show the scheme, so the configured URL decides."""
    return (frontend_url or str(request.url)).startswith("https://")


def set_login(response: Response, browser: Secret, *, secure: bool) -> None:
    response.set_cookie(
        LOGIN_COOKIE,
        browser.value,
        max_age=int(LOGIN_LASTS.total_seconds()),
        path=_LOGIN_PATH,
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def set_session(response: Response, token: Secret, *, secure: bool) -> None:
    response.delete_cookie(LOGIN_COOKIE, path=_LOGIN_PATH, secure=secure, httponly=True, samesite="lax")
    response.set_cookie(
        SESSION_COOKIE,
        token.value,
        max_age=int(SESSION_LASTS.total_seconds()),
        secure=secure,
        httponly=True,
        samesite="lax",
    )


def clear_session(response: Response, *, secure: bool) -> None:
    response.delete_cookie(SESSION_COOKIE, secure=secure, httponly=True, samesite="lax")
