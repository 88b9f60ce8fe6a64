"""Users, sessions, logins under way and the audit log in plain Python."""

from dataclasses import replace
from datetime import datetime

from assay.adapters.store.rules import taken_user, unknown_user
from assay.domain.identity import AuditEntry, Role, Session, User
from assay.engine.stores.identity import PendingLogin


class MemoryIdentity:
    """A part of the store in memory; each method is one transaction."""

    def __init__(self) -> None:
        self._logins: dict[str, PendingLogin] = {}
        self._users: dict[str, User] = {}
        self._sessions: dict[str, Session] = {}
        self._session_ids: dict[str, str] = {}
        self._renewing_until: dict[str, datetime] = {}
        self._key_holders: dict[str, str] = {}
        self._audit: list[AuditEntry] = []

    async def add_login(self, login: PendingLogin, *, at: datetime) -> None:
        self._logins = {state: one for state, one in self._logins.items() if one.expires_at > at}
        self._logins[login.state] = login

    async def take_login(self, state: str, *, at: datetime) -> PendingLogin | None:
        login = self._logins.pop(state, None)
        return login if login is not None and login.expires_at > at else None

    async def open_session(self, session: Session, *, cookie_hash: str) -> Session:
        user = session.user
        known = self._users.get(user.id)
        self._users[user.id] = user if known is None else replace(known, username=user.username)
        self._sessions[session.id] = session
        self._session_ids[cookie_hash] = session.id
        return self._whole(session)

    async def session_of(self, cookie_hash: str) -> Session | None:
        return await self.session(self._session_ids.get(cookie_hash, ""))

    async def session(self, session_id: str) -> Session | None:
        found = self._sessions.get(session_id)
        return None if found is None else self._whole(found)

    async def claim_renewal(self, session_id: str, *, at: datetime, until: datetime) -> bool:
        held_until = self._renewing_until.get(session_id, at)
        session = self._sessions.get(session_id)
        if session is None or not session.is_active or held_until > at:
            return False
        self._renewing_until[session_id] = until
        return True

    async def renew_session(
        self, session_id: str, *, sealed_tokens: bytes, token_expires_at: datetime | None
    ) -> None:
        session = self._sessions.get(session_id)
        if session is None or not session.is_active:
            return
        self._renewing_until.pop(session_id, None)
        self._sessions[session_id] = replace(
            session, sealed_tokens=sealed_tokens, token_expires_at=token_expires_at
        )

    async def close_session(self, session_id: str) -> None:
        session = self._sessions.get(session_id)
        if session is not None:
            self._sessions[session_id] = replace(
                session, is_active=False, sealed_tokens=b"", token_expires_at=None
            )

    async def users(self) -> tuple[User, ...]:
        return tuple(self._users[user_id] for user_id in sorted(self._users))

    async def set_role(self, user_id: str, role: Role) -> User:
        if user_id not in self._users:
            raise unknown_user(user_id)
        user = self._users[user_id] = replace(self._users[user_id], role=role)
        return user

    async def add_key_user(self, user: User, *, key_hash: str) -> None:
        if user.id in self._users:
            raise taken_user(user.id)
        self._users[user.id] = user
        self._key_holders[key_hash] = user.id

    async def key_user(self, key_hash: str) -> User | None:
        return self._users.get(self._key_holders.get(key_hash, ""))

    async def remove_user(self, user_id: str) -> None:
        if user_id not in self._users:
            raise unknown_user(user_id)
        del self._users[user_id]
        self._sessions = {key: one for key, one in self._sessions.items() if one.user.id != user_id}

    async def note(self, entry: AuditEntry) -> None:
        self._audit.append(entry)

    async def audit_log(self, *, limit: int, offset: int = 0) -> tuple[AuditEntry, ...]:
        return tuple(self._audit[::-1][offset : offset + limit])

    def _whole(self, session: Session) -> Session:
        return replace(session, user=self._users[session.user.id])
