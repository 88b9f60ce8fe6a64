"""Who asks, and what they may do."""

import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import Depends
from starlette.requests import HTTPConnection

from assay.api.access.admin_secret import is_admin_secret
from assay.api.dependencies import ApiServices
from assay.api.errors import ProblemError
from assay.domain.errors import AssayError
from assay.domain.identity import AuditEntry, Role, Session, User
from assay.domain.run import Run
from assay.domain.secret import Secret
from assay.engine.identity.access_keys import KEY_PREFIX
from assay.engine.identity.sign_in import hashed

SESSION_COOKIE: Final = "bench_session"
_BEARER = re.compile(r"bearer\s+(?P<key>[!-~]{1,4096})", re.IGNORECASE)
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# They change nothing, though they are posted.
_ANSWERING: Final = frozenset({"/api/exports/verify", "/api/runs/estimate"})
_ANYBODY: Final = "anybody"


@dataclass(frozen=True, slots=True)
class Actor:
    """`session` is set where they signed in; `had_session` where they did once, and no longer are."""

    role: Role | None
    user: User | None = None
    session: Session | None = None
    had_session: bool = False
    name: str = _ANYBODY
    # A bearer token that is no key of ours: that of a model's endpoint.
    key: Secret | None = field(default=None, repr=False)

    @property
    def owner(self) -> str | None:
        return None if self.user is None else self.user.owner

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN


async def _actor(connection: HTTPConnection) -> Actor:
    services: ApiServices = connection.app.state.services
    headers = connection.headers
    if is_admin_secret(headers.get("x-admin-secret"), services.admin_secret):
        return Actor(Role.ADMIN, name="admin secret")
    bearer = _BEARER.fullmatch(headers.get("authorization", ""))
    given = "" if bearer is None else bearer["key"]
    access_key = headers.get("x-api-key") or (given if given.startswith(KEY_PREFIX) else "")
    if access_key:
        return await _key_holder(services, access_key)
    key = Secret(given) if given else None
    role = None if services.needs_identity else Role.RUNNER
    cookie = connection.cookies.get(SESSION_COOKIE)
    if not cookie or services.sign_in is None:
        return Actor(role, key=key)
    session = await services.sign_in.session(cookie)
    if session is None:
        return Actor(role, had_session=True, key=key)
    user = session.user
    return Actor(user.role, user, session, name=user.owner, key=key)


async def _key_holder(services: ApiServices, access_key: str) -> Actor:
    user = await services.stores.identity.key_user(hashed(access_key))
    if user is None:
        raise _unauthorized("the access key is not known here; `assay users list` shows whose are")
    return Actor(user.role, user, name=user.owner)


CurrentActor = Annotated[Actor, Depends(_actor)]


async def must_be_allowed(connection: HTTPConnection, actor: CurrentActor) -> AsyncGenerator[None]:
    """In front of every route; what is changed, or was refused, is written down."""
    method = connection.scope.get("method", "GET")
    if method in _READING or connection.url.path in _ANSWERING:
        _must_be_somebody(actor)
        yield
        return
    services: ApiServices = connection.app.state.services
    outcome = "done"
    try:
        _must_be_runner(actor)
        yield
    except ProblemError as error:
        outcome = error.problem.code
        raise
    except AssayError as error:
        outcome = error.code
        raise
    finally:
        action = getattr(connection.scope.get("endpoint"), "__name__", method)
        now = services.engine.clock.now()
        await services.stores.identity.note(AuditEntry(now, actor.name, action, connection.url.path, outcome))


def _must_be_somebody(actor: Actor) -> None:
    if actor.role is None:
        raise _unauthorized("this server wants to know who asks: sign in, or send an access key")


def _must_be_runner(actor: Actor) -> None:
    _must_be_somebody(actor)
    if actor.role is Role.VIEWER:
        detail = "a viewer may look at everything and change nothing; the operator gives roles"
        raise ProblemError(HTTPStatus.FORBIDDEN, detail, code="role-needed")


def must_control(run: Run, actor: Actor, services: ApiServices) -> None:
    """A run that belongs to somebody is controlled by its owner or an admin; others by anybody."""
    if run.owner is None or actor.is_admin or run.owner == actor.owner:
        return
    if actor.key is not None and services.engine.credentials.vault.pseudonym(actor.key) == run.owner:
        return
    detail = f"run {run.id[:8]!r} belongs to {run.owner!r}: its owner may do this, or an admin"
    raise ProblemError(HTTPStatus.FORBIDDEN, detail, code="not-the-owner")


def _unauthorized(detail: str) -> ProblemError:
    headers = {"WWW-Authenticate": "Bearer"}
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, code="sign-in-needed", headers=headers)
