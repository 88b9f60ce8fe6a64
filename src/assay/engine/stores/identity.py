"""Users, their logins and keys, and the record of what they did."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from assay.domain.access.identity import AuditEntry, Role, Session, User


@dataclass(frozen=True, slots=True)
class PendingLogin:
    """A login that was started; `state` and `browser` are hashes of what only the caller knows."""

    state: str
    browser: str
    redirect_uri: str
    return_to: str
    expires_at: datetime
    sealed_verifier: bytes = field(repr=False)


class IdentityStore(Protocol):
    """Each method is one transaction. Hashes stand for tokens, which are stored nowhere."""

    async def add_login(self, login: PendingLogin, *, at: datetime) -> None:
        """Also removes the logins that nobody completed in time."""
        ...

    async def take_login(self, state: str, *, at: datetime) -> PendingLogin | None:
        """Remove and return it, for one caller only; None where it has expired or there is none."""
        ...

    async def open_session(self, session: Session, *, cookie_hash: str) -> Session:
        """Store it and its user; a known user keeps the role and gets the new name."""
        ...

    async def session_by_cookie(self, cookie_hash: str) -> Session | None: ...

    async def session(self, session_id: str) -> Session | None: ...

    async def claim_renewal(self, session_id: str, *, lasts: timedelta) -> bool:
        """Whether the caller is to renew the tokens; for so long no other caller gets True."""
        ...

    async def renew_session(
        self, session_id: str, *, sealed_tokens: bytes, token_expires_at: datetime | None
    ) -> None:
        """A session that was closed in the meantime stays closed."""
        ...

    async def close_session(self, session_id: str) -> None: ...

    async def users(self) -> tuple[User, ...]:
        """By id."""
        ...

    async def set_role(self, user_id: str, role: Role) -> User:
        """Raises UnknownNameError."""
        ...

    async def add_key_user(self, user: User, *, key_hash: str) -> None:
        """Raises ConflictError where the id is taken."""
        ...

    async def users_by_key(self, key_hashes: Collection[str]) -> Mapping[str, User]:
        """The holders of those keys that there are, also of keys that have expired."""
        ...

    async def remove_user(self, user_id: str) -> None:
        """With all sessions and keys; raises UnknownNameError."""
        ...

    async def add_audit_entry(self, entry: AuditEntry) -> None: ...

    async def forget_audit_entries(self, *, before: datetime) -> int:
        """Delete older entries, and return how many there were."""
        ...

    async def audit_log(self, *, limit: int, offset: int = 0) -> tuple[AuditEntry, ...]:
        """Newest first."""
        ...
