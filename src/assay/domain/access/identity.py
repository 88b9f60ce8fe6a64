"""Who uses an installation, and what each may do."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

INVOKE_SCOPE = "chutes:invoke"
# Ids from the identity provider never begin with this.
LOCAL_PREFIX = "local:"
MAX_KEY_DAYS = 3650


class Role(StrEnum):
    """Each includes the one before: view; start runs and control one's own; do anything."""

    VIEWER = "viewer"
    RUNNER = "runner"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        order = list(Role)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True)
class User:
    """A person who signed in with the identity provider, or the holder of an access key."""

    id: str
    username: str
    role: Role
    created_at: datetime
    # None for a user without an access key, or with one that does not expire.
    key_expires_at: datetime | None = None

    @property
    def owner(self) -> str:
        """The owner recorded with their runs."""
        return f"user:{self.id}"

    @property
    def has_key(self) -> bool:
        return self.id.startswith(LOCAL_PREFIX)


@dataclass(frozen=True, slots=True)
class Session:
    """A login; the user's tokens are encrypted, and deleted once it is inactive."""

    id: str
    user: User
    scopes: frozenset[str]
    created_at: datetime
    expires_at: datetime
    # None where the provider did not say.
    token_expires_at: datetime | None = None
    sealed_tokens: bytes = field(default=b"", repr=False)
    is_active: bool = True

    def is_live(self, now: datetime) -> bool:
        return self.is_active and now < self.expires_at

    def has_token(self, now: datetime, *, for_at_least: timedelta = timedelta(0)) -> bool:
        """Whether the access token is valid for at least this long."""
        return self.token_expires_at is None or self.token_expires_at - now > for_at_least

    @property
    def may_invoke(self) -> bool:
        return INVOKE_SCOPE in self.scopes


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An action that a user requested; `outcome` is `done`, or the code of the error."""

    at: datetime
    actor: str
    action: str
    target: str = ""
    outcome: str = "done"
