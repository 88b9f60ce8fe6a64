"""Who makes a request, and what they are allowed to do."""

import re
import secrets
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Annotated, Final

from fastapi import Depends
from starlette.requests import HTTPConnection

from assay.api.access.key_holders import KeyHolders
from assay.api.access.key_throttle import KeyThrottle
from assay.api.access.rate_limit import RateLimit
from assay.api.dependencies import ANYBODY, ApiServices
from assay.api.errors import ProblemError
from assay.domain.access.identity import Role, Session, User
from assay.domain.access.secret import Secret
from assay.domain.access.visibility import Viewer
from assay.domain.errors import AssayError, NotTheOwnerError, UnknownNameError
from assay.domain.run import Run
from assay.engine.identity.access_keys import KEY_PREFIX
from assay.engine.identity.audit import DONE, AuditLog
from assay.engine.identity.sign_in import hashed
from assay.engine.log_context import RUN

SESSION_COOKIE: Final = "bench_session"
# Characters that may be sent on in a header, and a length that servers accept.
_BEARER = re.compile(r"bearer\s+(?P<key>[!-~]{1,4096})", re.IGNORECASE)
# Nothing else that a caller writes gets into a field of the log.
_RUN_ID = re.compile(r"[0-9a-f-]{4,36}")
_READ_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
# POST requests that change nothing.
_POSTED_READS: Final = frozenset(
    {
        "/api/exports/verify",
        "/api/runs/estimate",
        "/api/runs/preflight",
        "/admin/workbench/estimate-cost",
        "/admin/workbench/budget-alert",
    }
)
_LISTS_OF_RUNS: Final = frozenset(
    {
        "/api/runs",
        "/api/compare",
        "/api/compare/answers",
        "/api/compare/report",
        "/api/exports/public-key",
        "/api/leaderboard",
        "/leaderboard",
        "/qa/leaderboard",
        "/qa/runs",
        "/runs",
    }
)
# Clients that insist on a key are given one of these where no key is meant.
_PLACEHOLDER_KEYS: Final = frozenset({"unused", "empty", "none"})
ANYBODY_NAME: Final = "anybody"
# Asked again and again by what watches over the server.
_HEALTH: Final = frozenset({"/api/health", "/health"})


@dataclass(frozen=True, slots=True)
class Actor:
    """`session` is set for a signed-in user; `had_session` if the session has ended."""

    role: Role | None
    user: User | None = None
    session: Session | None = None
    had_session: bool = False
    name: str = ANYBODY_NAME
    # A bearer token that is not an access key: the key for the endpoint of a model.
    key: Secret | None = field(default=None, repr=False)

    @property
    def owner(self) -> str | None:
        return None if self.user is None else self.user.owner

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN


async def actor_of(connection: HTTPConnection) -> Actor:
    actor = await _identified(connection)
    connection.state.is_admin = actor.is_admin
    connection.state.viewer = viewer_of(actor, connection.app.state.services)
    _limit(connection).require_room(_address(connection) if actor.user is None else actor.user.owner)
    return actor


def viewer_of(actor: Actor, services: ApiServices) -> Viewer | None:
    """Whose runs the caller sees; None for admins, who see all."""
    if actor.is_admin:
        return None
    if actor.role is None:
        return ANYBODY
    own = () if actor.key is None else services.engine.credentials.vault.pseudonyms(actor.key)
    return Viewer((actor.owner, *own))


async def limit_address(connection: HTTPConnection) -> None:
    """Runs before every public route, where it does not matter who asks."""
    if connection.url.path not in _HEALTH:
        _limit(connection).require_room(_address(connection))


def _limit(connection: HTTPConnection) -> RateLimit:
    limit: RateLimit = connection.app.state.rate_limit
    return limit


def _address(connection: HTTPConnection) -> str:
    return "" if connection.client is None else connection.client.host


async def _identified(connection: HTTPConnection) -> Actor:
    services: ApiServices = connection.app.state.services
    headers = connection.headers
    bearer = _BEARER.fullmatch(headers.get("authorization", ""))
    given = "" if bearer is None else bearer["key"]
    is_access_key = given.startswith(KEY_PREFIX)
    is_for_this_server = is_access_key or is_benchmark_token(given, services)
    is_own_key = given and not is_for_this_server and given.lower() not in _PLACEHOLDER_KEYS
    key = Secret(given) if is_own_key else None
    if await _is_admin_secret(connection, services):
        return Actor(Role.ADMIN, name="admin secret", key=key)
    access_key = headers.get("x-api-key") or (given if is_access_key else "")
    if access_key:
        holder = await _key_holder(connection, services, access_key)
        return replace(holder, key=key)
    role = None if services.needs_identity else Role.RUNNER
    cookie = connection.cookies.get(SESSION_COOKIE)
    if not cookie or services.sign_in is None:
        return Actor(role, key=key)
    session = await services.sign_in.session(cookie)
    if session is None:
        return Actor(role, had_session=True, key=key)
    user = session.user
    return Actor(user.role, user, session, name=user.owner, key=key)


def is_benchmark_token(given: str, services: ApiServices) -> bool:
    """Compare in constant time; nothing matches if no token is set."""
    expected = services.benchmark_token
    # Servers decode header bytes as Latin-1, whatever encoding the caller used.
    sent = given.encode("latin-1", "replace")
    return bool(expected) and secrets.compare_digest(sent, (expected or "").encode())


async def _is_admin_secret(connection: HTTPConnection, services: ApiServices) -> bool:
    """Compare in constant time; no secret matches if none is set."""
    given, expected = connection.headers.get("x-admin-secret"), services.admin_secret
    if not expected or given is None:
        return False
    throttle, address = key_throttle(connection)
    # Servers decode header bytes as Latin-1, whatever encoding the caller used.
    sent = given.encode("latin-1", "replace")
    throttle.require_allowed(address, hashed(given))
    is_right = secrets.compare_digest(sent, expected.encode())
    if is_right:
        throttle.note_right(hashed(given))
    else:
        target = f"{connection.url.path} from {address}"
        await audit_log(connection).write(ANYBODY_NAME, "send_admin_secret", target, "wrong-secret")
        throttle.note_wrong(address)
    return is_right


async def _key_holder(connection: HTTPConnection, services: ApiServices, access_key: str) -> Actor:
    throttle, address = key_throttle(connection)
    key_hash = hashed(access_key)
    holders: KeyHolders = connection.app.state.key_holders
    user = await holders.find(key_hash, at_once=throttle.is_known(key_hash))
    if user is None:
        target = f"{connection.url.path} from {address}"
        await audit_log(connection).write(ANYBODY_NAME, "send_access_key", target, "unknown-key")
        throttle.require_allowed(address, key_hash)
        throttle.note_wrong(address)
        raise _unauthorized("the access key is unknown; ask the operator for another")
    if user.key_expires_at is not None and user.key_expires_at <= services.clock.now():
        raise _unauthorized(f"the access key expired at {user.key_expires_at.isoformat()}")
    throttle.note_right(key_hash)
    return Actor(user.role, user, name=user.owner)


def key_throttle(connection: HTTPConnection) -> tuple[KeyThrottle, str]:
    """What counts wrong keys, and the address that they came from."""
    throttle: KeyThrottle = connection.app.state.key_throttle
    return throttle, _address(connection)


CurrentActor = Annotated[Actor, Depends(actor_of)]


async def require_access(connection: HTTPConnection, actor: CurrentActor) -> AsyncGenerator[None]:
    """Runs before every protected route; changes and refusals are written to the audit log."""
    method = connection.scope.get("method", "GET")
    run_id = connection.path_params.get("run_id", "")
    if _RUN_ID.fullmatch(run_id):
        # For the log lines of this request, which is a task of its own.
        RUN.set(run_id)
    if method in _READ_METHODS or connection.url.path in _POSTED_READS:
        if not _may_be_public(connection):
            require_identity(actor)
        try:
            yield
        except UnknownNameError:
            # There may be such a run for those who sign in.
            require_identity(actor)
            raise
        return
    outcome = DONE
    audited = connection.state.audited = Audited()
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
        target = " ".join(filter(None, (connection.url.path, audited.details)))
        await audit_log(connection).write(actor.name, action, target, outcome)


@dataclass(slots=True)
class Audited:
    """What the path does not say about the change that is under way."""

    details: str = ""


async def _audited(connection: HTTPConnection) -> Audited:
    audited: Audited = connection.state.audited
    return audited


# Of routes that change something: what they add is written to the audit log.
Audit = Annotated[Audited, Depends(_audited)]


def audit_log(connection: HTTPConnection) -> AuditLog:
    log: AuditLog = connection.app.state.audit_log
    return log


def _may_be_public(connection: HTTPConnection) -> bool:
    """Whether what is read are runs: of them, whoever asks is shown those that are public."""
    is_of_runs = "run_id" in connection.path_params or connection.url.path in _LISTS_OF_RUNS
    return is_of_runs and connection.scope.get("method") in _READ_METHODS


def require_identity(actor: Actor) -> None:
    if actor.role is None:
        raise _sign_in_needed()


def _sign_in_needed() -> ProblemError:
    return _unauthorized("authentication is required: sign in, or send an access key")


def _require_runner(actor: Actor) -> None:
    if actor.had_session:
        # Not ignored: what the caller starts or adds would belong to nobody.
        raise session_ended("your session has ended; sign in again")
    require_identity(actor)
    if actor.role is Role.VIEWER:
        detail = "a viewer may read everything and change nothing; ask the operator for another role"
        raise ProblemError(HTTPStatus.FORBIDDEN, detail, code="role-needed")


def require_owner(actor: Actor, owner: str | None, what: str) -> None:
    """What has an owner is changed by the owner or an admin, anything else by everybody."""
    if owner is not None and not actor.is_admin and owner != actor.owner:
        raise NotTheOwnerError(what, owner)


def require_control(run: Run, actor: Actor, services: ApiServices) -> None:
    """Also a holder of the key that a run was started with controls it."""
    if run.owner is None:
        return
    if actor.key is not None and run.owner in services.engine.credentials.vault.pseudonyms(actor.key):
        return
    require_owner(actor, run.owner, f"run {run.id[:8]!r}")


def session_ended(detail: str) -> ProblemError:
    headers = {
        "WWW-Authenticate": "Cookie",
        # Removes the expired cookie from the browser.
        "Set-Cookie": f"{SESSION_COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax",
    }
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, code="session-ended", headers=headers)


def _unauthorized(detail: str) -> ProblemError:
    headers = {"WWW-Authenticate": "Bearer"}
    return ProblemError(HTTPStatus.UNAUTHORIZED, detail, code="sign-in-needed", headers=headers)
