"""Users, their sessions, logins and keys, and the audit log."""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, LargeBinary, String, Table, Text

from assay.adapters.store.database.columns import FreeText, Key, Moment
from assay.adapters.store.database.metadata import metadata

users = Table(
    "users",
    metadata,
    Column("id", Key, primary_key=True),
    Column("username", FreeText, nullable=False),
    Column("role", String, nullable=False),
    Column("created_at", Moment, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Key, primary_key=True),
    # The hash of the cookie; only the browser has the cookie itself.
    Column("cookie_hash", Key, nullable=False, unique=True),
    Column("user_id", Key, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("scopes", FreeText, nullable=False),
    Column("sealed_tokens", LargeBinary, nullable=False),
    Column("token_expires_at", Moment),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Column("is_active", Boolean, nullable=False),
    # One process renews the tokens until then, and others wait for it.
    Column("renewing_until", Moment),
    Index(None, "user_id"),
)

oauth_states = Table(
    "oauth_states",
    metadata,
    Column("state_hash", Key, primary_key=True),
    Column("browser_hash", Key, nullable=False),
    Column("redirect_uri", Text, nullable=False),
    Column("return_to", FreeText, nullable=False),
    Column("sealed_verifier", LargeBinary, nullable=False),
    Column("expires_at", Moment, nullable=False),
)

access_keys = Table(
    "access_keys",
    metadata,
    Column("key_hash", Key, primary_key=True),
    Column("user_id", Key, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("created_at", Moment, nullable=False),
    # NULL for a key that does not expire.
    Column("expires_at", Moment),
    Index(None, "user_id"),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("at", Moment, nullable=False),
    Column("actor", FreeText, nullable=False),
    Column("action", FreeText, nullable=False),
    Column("target", FreeText, nullable=False),
    Column("outcome", FreeText, nullable=False),
    Index(None, "at"),
)
