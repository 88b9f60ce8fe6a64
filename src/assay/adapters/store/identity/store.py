"""Users, their sessions, logins and keys, and the audit log."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, or_, select, update
from sqlalchemy.exc import IntegrityError

from assay.adapters.store.database.clock import database_now
from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.adapters.store.identity.tables import access_keys, audit, oauth_states, sessions, users
from assay.domain.access.identity import AuditEntry, Role, Session, User
from assay.domain.errors import ConflictError, UnknownNameError
from assay.engine.stores.identity import PendingLogin

_SESSIONS = select(sessions, users.c.username, users.c.role, users.c.created_at.label("known_since")).join(
    users, users.c.id == sessions.c.user_id
)


_USERS = select(users, access_keys.c.expires_at.label("key_expires_at")).outerjoin(
    access_keys, access_keys.c.user_id == users.c.id
)

_BY_KEY = _USERS.add_columns(access_keys.c.key_hash).where(
    access_keys.c.key_hash.in_(bindparam("key_hashes", expanding=True))
)


class SqlIdentityStore(DatabaseStore):
    @write
    def add_login(self, connection: Connection, login: PendingLogin, *, at: datetime) -> None:
        connection.execute(delete(oauth_states).where(oauth_states.c.expires_at <= at))
        values = {
            "state_hash": login.state,
            "browser_hash": login.browser,
            "redirect_uri": login.redirect_uri,
            "return_to": login.return_to,
            "sealed_verifier": login.sealed_verifier,
            "expires_at": login.expires_at,
        }
        connection.execute(insert(oauth_states), values)

    @write
    def take_login(self, connection: Connection, state: str, *, at: datetime) -> PendingLogin | None:
        """Two callers at once never get the same row: the second finds it deleted."""
        statement = delete(oauth_states).where(oauth_states.c.state_hash == state).returning(oauth_states)
        row = connection.execute(statement).one_or_none()
        if row is None or row.expires_at <= at:
            return None
        return PendingLogin(
            state=row.state_hash,
            browser=row.browser_hash,
            redirect_uri=row.redirect_uri,
            return_to=row.return_to,
            expires_at=row.expires_at,
            sealed_verifier=row.sealed_verifier,
        )

    @write
    def open_session(self, connection: Connection, session: Session, *, cookie_hash: str) -> Session:
        user = session.user
        renamed = update(users).where(users.c.id == user.id).values(username=user.username)
        if not connection.execute(renamed).rowcount:
            connection.execute(insert(users), _user_values(user))
        values = {
            "id": session.id,
            "cookie_hash": cookie_hash,
            "user_id": user.id,
            "scopes": " ".join(sorted(session.scopes)),
            "sealed_tokens": session.sealed_tokens,
            "token_expires_at": session.token_expires_at,
            "created_at": session.created_at,
            "expires_at": session.expires_at,
            "is_active": session.is_active,
        }
        connection.execute(insert(sessions), values)
        return _session(connection.execute(_SESSIONS.where(sessions.c.id == session.id)).one())

    @read
    def session_by_cookie(self, connection: Connection, cookie_hash: str) -> Session | None:
        row = connection.execute(_SESSIONS.where(sessions.c.cookie_hash == cookie_hash)).one_or_none()
        return None if row is None else _session(row)

    @read
    def session(self, connection: Connection, session_id: str) -> Session | None:
        row = connection.execute(_SESSIONS.where(sessions.c.id == session_id)).one_or_none()
        return None if row is None else _session(row)

    @write
    def claim_renewal(self, connection: Connection, session_id: str, *, lasts: timedelta) -> bool:
        now = database_now(connection)
        is_free = or_(sessions.c.renewing_until.is_(None), sessions.c.renewing_until <= now)
        claimed = update(sessions).where(sessions.c.id == session_id, sessions.c.is_active, is_free)
        return bool(connection.execute(claimed.values(renewing_until=now + lasts)).rowcount)

    @write
    def renew_session(
        self,
        connection: Connection,
        session_id: str,
        *,
        sealed_tokens: bytes,
        token_expires_at: datetime | None,
    ) -> None:
        renewed = update(sessions).where(sessions.c.id == session_id, sessions.c.is_active)
        connection.execute(
            renewed.values(
                sealed_tokens=sealed_tokens, token_expires_at=token_expires_at, renewing_until=None
            )
        )

    @write
    def close_session(self, connection: Connection, session_id: str) -> None:
        closed = update(sessions).where(sessions.c.id == session_id)
        connection.execute(closed.values(is_active=False, sealed_tokens=b"", token_expires_at=None))

    @read
    def users(self, connection: Connection) -> tuple[User, ...]:
        return tuple(_user(row) for row in connection.execute(_USERS.order_by(users.c.id)))

    @write
    def set_role(self, connection: Connection, user_id: str, role: Role) -> User:
        connection.execute(update(users).where(users.c.id == user_id).values(role=role.value))
        row = connection.execute(_USERS.where(users.c.id == user_id)).one_or_none()
        if row is None:
            raise _unknown(user_id)
        return _user(row)

    @write
    def add_key_user(self, connection: Connection, user: User, *, key_hash: str) -> None:
        try:
            connection.execute(insert(users), _user_values(user))
        except IntegrityError as error:
            message = f"there is a user {user.id!r} already; remove it first, or choose another name"
            raise ConflictError(message) from error
        values = {
            "key_hash": key_hash,
            "user_id": user.id,
            "created_at": user.created_at,
            "expires_at": user.key_expires_at,
        }
        connection.execute(insert(access_keys), values)

    @read
    def users_by_key(self, connection: Connection, key_hashes: Collection[str]) -> Mapping[str, User]:
        found = connection.execute(_BY_KEY, {"key_hashes": list(key_hashes)})
        return {row.key_hash: _user(row) for row in found}

    @write
    def remove_user(self, connection: Connection, user_id: str) -> None:
        if not connection.execute(delete(users).where(users.c.id == user_id)).rowcount:
            raise _unknown(user_id)

    @write
    def add_audit_entry(self, connection: Connection, entry: AuditEntry) -> None:
        values = {
            "at": entry.at,
            "actor": entry.actor,
            "action": entry.action,
            "target": entry.target,
            "outcome": entry.outcome,
        }
        connection.execute(insert(audit), values)

    @write
    def forget_audit_entries(self, connection: Connection, *, before: datetime) -> int:
        return connection.execute(delete(audit).where(audit.c.at < before)).rowcount

    @read
    def audit_log(self, connection: Connection, *, limit: int, offset: int = 0) -> tuple[AuditEntry, ...]:
        statement = select(audit).order_by(audit.c.id.desc()).limit(limit).offset(offset)
        return tuple(
            AuditEntry(row.at, row.actor, row.action, row.target, row.outcome)
            for row in connection.execute(statement)
        )


def _unknown(user_id: str) -> UnknownNameError:
    return UnknownNameError("user", user_id, remedy="`assay users list` lists all")


def _user_values(user: User) -> dict[str, object]:
    return {
        "id": user.id,
        "username": user.username,
        "role": user.role.value,
        "created_at": user.created_at,
    }


def _user(row: Row[Any]) -> User:
    return User(row.id, row.username, Role(row.role), row.created_at, row.key_expires_at)


def _session(row: Row[Any]) -> Session:
    return Session(
        id=row.id,
        user=User(row.user_id, row.username, Role(row.role), row.known_since),
        scopes=frozenset(row.scopes.split()),
        created_at=row.created_at,
        expires_at=row.expires_at,
        token_expires_at=row.token_expires_at,
        sealed_tokens=row.sealed_tokens,
        is_active=row.is_active,
    )
