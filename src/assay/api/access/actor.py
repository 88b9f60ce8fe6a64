"""Who makes a request, and what they are allowed to do."""

import re
import secrets
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import Depends
from starlette.requests import HTTPConnection

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
_READ_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# POST requests that change nothing.
_POSTED_READS: Final = frozenset({"/api/exports/verify", "/api/runs/estimate"})
_ANYBODY: Final = "anybody"


@dataclass(frozen=True, slots=True)
class Actor:
    """`session` is set for a signed-in user; `had_session` if the session has ended."""

    role: Role | None
    user: User | None = None
    session: Session | None = None
    had_session: bool = False
    name: str = _ANYBODY
    # A bearer token for the endpoint of a model.
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
    if _is_admin_secret(headers.get("x-admin-secret"), services.admin_secret):
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


def _is_admin_secret(given: str | None, expected: str | None) -> bool:
    """Compare in constant time; no secret matches if none is set."""
    if not expected:
        return False
    # Servers decode header bytes as Latin-1, whatever encoding the caller used.
    return secrets.compare_digest((given or "").encode("latin-1", "replace"), expected.encode())


async def _key_holder(services: ApiServices, access_key: str) -> Actor:
    user = await services.stores.identity.user_by_key(hashed(access_key))
    if user is None:
        raise _unauthorized("the access key is unknown; `assay users list` shows the users that have one")
    return Actor(user.role, user, name=user.owner)


CurrentActor = Annotated[Actor, Depends(_actor)]


async def require_access(connection: HTTPConnection, actor: CurrentActor) -> AsyncGenerator[None]:
    """Runs before every protected route; changes and refusals are written to the audit log."""
    method = connection.scope.get("method", "GET")
    if method in _READ_METHODS or connection.url.path in _POSTED_READS:
        _require_identity(actor)
        yield
        return
    services: ApiServices = connection.app.state.services
    outcome = "done"
    try:
        _require_runner(actor)
        yield
    except ProblemError as error:
        outcome = error.problem.code
        raise
    except AssayError as error:
        outcome = error.code
        raise
    finally:
        action = getattr(connection.scope.get("endpoint"), "__name__", method)
        now = services.clock.now()
        entry = AuditEntry(now, actor.name, action, connection.url.path, outcome)
        await services.stores.identity.add_audit_entry(entry)


def _require_identity(actor: Actor) -> None:
    if actor.role is None:
        raise _unauthorized("authentication is required: sign in, or send an access key")


def _require_runner(actor: Actor) -> None:
    _require_identity(actor)
    if actor.role is Role.VIEWER:
        detail = "a viewer may read everything and change nothing; ask the operator for another role"
        raise ProblemError(HTTPStatus.FORBIDDEN, detail, code="role-needed")


def require_control(run: Run, actor: Actor, services: ApiServices) -> None:
    """A run with an owner is controlled by the owner or an admin, any other run by everybody."""
    if run.owner is None or actor.is_admin or run.owner == actor.owner:
        return
    if actor.key is not None and services.engine.credentials.vault.pseudonym(actor.key) == run.owner:
        return
    detail = f"run {run.id[:8]!r} belongs to {run.owner!r}: only its owner or an admin may do this"
    raise ProblemError(HTTPStatus.FORBIDDEN, detail, code="not-the-owner")


def _unauthorized(detail: str) -> ProblemError:
    headers = {"WWW-Authenticate": "Bearer"}
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, code="sign-in-needed", headers=headers)
