"""Signing in with an identity provider."""

import logging
import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response
from starlette.responses import JSONResponse, RedirectResponse

from assay.api.access.actor import ANYBODY_NAME, CurrentActor, audit_log
from assay.api.access.session_cookies import LOGIN_COOKIE, clear_session, is_https, set_login, set_session
from assay.api.dependencies import ApiServices, Services
from assay.api.errors import ProblemError, Responses, invalid, problems
from assay.api.schemas.auth import AuthStatus, Me, SignedIn, SignedInUser
from assay.api.schemas.system import Done
from assay.api.web import UI_PATH
from assay.domain.access.identity import Session
from assay.domain.errors import AssayError, EndpointError, SignInError, UntrustedLoginError
from assay.engine.identity.sign_in import Completed, SignIn

_logger = logging.getLogger(__name__)
router = APIRouter(prefix="/api/auth", tags=["sign-in"])

_HOME: Final = f"{UI_PATH}/"
_FAILED: Final = f"{_HOME}?sign_in="
# No second slash: browsers treat a backslash like a slash, and drop control characters.
_OWN_PATH = re.compile(r"/(?:[^/\\\x00-\x20\x7f][^\\\x00-\x20\x7f]*)?", re.ASCII)
_MAX_PATH: Final = 2_000
# What the web UI shows; the first class that fits.
_REASONS: Final[Mapping[type[AssayError], str]] = {
    UntrustedLoginError: "untrusted",
    SignInError: "failed",
    EndpointError: "unreachable",
}
_NOT_SET_UP = problems(HTTPStatus.NOT_IMPLEMENTED)
_REDIRECT: Responses = {302: {"description": "To the identity provider"}}
_BACK: Responses = {303: {"description": "A browser returns to the page that started the login"}}


@router.get(
    "/login",
    status_code=HTTPStatus.FOUND,
    response_class=RedirectResponse,
    responses=_REDIRECT
    | _BACK
    | _NOT_SET_UP
    | problems(HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.BAD_GATEWAY),
)
async def sign_in(
    request: Request,
    services: Services,
    return_to: Annotated[str, Query(description="A path of this server to return to")] = _HOME,
) -> Response:
    """Start a login: redirects the browser to the identity provider."""
    if not _OWN_PATH.fullmatch(return_to) or len(return_to) > _MAX_PATH:
        raise invalid("return_to", "must be a path of this server, such as /ui/runs")
    base = services.frontend_url or str(request.base_url)
    redirect_uri = f"{base.rstrip('/')}/api/auth/callback"
    try:
        begun = await _configured(services).begin(redirect_uri=redirect_uri, return_to=return_to)
    except (SignInError, EndpointError) as failure:
        return _failed(request, failure)
    response = RedirectResponse(begun.url, HTTPStatus.FOUND, headers=_NO_STORE)
    set_login(response, begun.browser, secure=is_https(request, services.frontend_url))
    return response


@router.get(
    "/callback",
    response_model=SignedIn,
    responses=_BACK
    | _NOT_SET_UP
    | problems(HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.BAD_GATEWAY),
)
async def finish_sign_in(
    request: Request,
    services: Services,
    code: Annotated[str | None, Query(max_length=4096)] = None,
    state: Annotated[str | None, Query(max_length=512)] = None,
    error: Annotated[str | None, Query(max_length=512)] = None,
) -> Response:
    """Complete a login; 400 if it was refused, expired, used before, or started in another browser."""
    signing_in = _configured(services)
    try:
        done = await _completed(request, signing_in, code=code, state=state, error=error)
    except (SignInError, EndpointError) as failure:
        await audit_log(request).write(ANYBODY_NAME, "sign_in", outcome=failure.code)
        return _failed(request, failure)
    await audit_log(request).write(done.session.user.owner, "sign_in")
    response = _welcome(done, is_browser=_is_browser(request))
    set_session(response, done.token, secure=is_https(request, services.frontend_url))
    return response


_NO_STORE: Final = {"Cache-Control": "no-store"}


def _is_browser(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _failed(request: Request, failure: AssayError) -> Response:
    """Browsers are told on a page of the web UI which kind of failure it was; the log has the rest."""
    _logger.warning("a login failed: %s", failure.message)
    if not _is_browser(request):
        raise failure
    reason = next(reason for kind, reason in _REASONS.items() if isinstance(failure, kind))
    return RedirectResponse(_FAILED + reason, HTTPStatus.SEE_OTHER, headers=_NO_STORE)


async def _completed(
    request: Request, signing_in: SignIn, *, code: str | None, state: str | None, error: str | None
) -> Completed:
    if error is not None or not code or not state:
        raise SignInError("the identity provider refused the login, or the address is incomplete")
    return await signing_in.complete(code=code, state=state, browser=request.cookies.get(LOGIN_COOKIE))


def _welcome(done: Completed, *, is_browser: bool) -> Response:
    if is_browser:
        return RedirectResponse(done.return_to, HTTPStatus.SEE_OTHER, headers=_NO_STORE)
    shown = SignedIn(
        session_id=done.session.id,
        user=SignedInUser.of(done.session.user),
        has_invoke_scope=done.session.may_invoke,
        return_to=done.return_to,
    )
    return JSONResponse(shown.model_dump(mode="json"), headers=_NO_STORE)


@router.get("/me", responses=problems(HTTPStatus.UNAUTHORIZED), openapi_extra={"security": [{"Session": []}]})
async def show_me(services: Services, actor: CurrentActor) -> Me:
    """The signed-in user; 401 if there is none."""
    if actor.session is None:
        raise ProblemError(HTTPStatus.UNAUTHORIZED, "nobody is signed in", code="sign-in-needed")
    return Me(
        user=SignedInUser.of(actor.session.user),
        has_invoke_scope=actor.session.may_invoke,
        has_valid_token=await _has_token(services, actor.session),
    )


async def _has_token(services: ApiServices, session: Session) -> bool:
    try:
        await _configured(services).access_token(session.id)
    except EndpointError:
        return False
    return True


@router.get("/status", responses=problems(HTTPStatus.UNAUTHORIZED))
async def show_auth_status(services: Services, actor: CurrentActor) -> AuthStatus:
    """Whether users can sign in, and who is signed in."""
    return AuthStatus(
        idp_configured=services.sign_in is not None,
        authenticated=actor.user is not None,
        user=None if actor.user is None else SignedInUser.of(actor.user),
        has_invoke_scope=actor.session is not None and actor.session.may_invoke,
        needs_identity=services.needs_identity,
    )


@router.post("/logout", responses=problems(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN))
async def sign_out(request: Request, response: Response, services: Services, actor: CurrentActor) -> Done:
    """End the session and revoke its tokens at the identity provider."""
    clear_session(response, secure=is_https(request, services.frontend_url))
    if actor.session is None:
        return Done(message="nobody was signed in")
    is_revoked = await _configured(services).end(actor.session)
    await audit_log(request).write(actor.name, "sign_out")
    if is_revoked:
        return Done(message="signed out")
    return Done(message="signed out here; the identity provider did not confirm that it revoked the tokens")


def _configured(services: ApiServices) -> SignIn:
    if services.sign_in is None:
        detail = "sign-in is not configured: set OIDC_ISSUER or CHUTES_CLIENT_ID on the server"
        raise ProblemError(HTTPStatus.NOT_IMPLEMENTED, detail, code="no-identity-provider")
    return services.sign_in
