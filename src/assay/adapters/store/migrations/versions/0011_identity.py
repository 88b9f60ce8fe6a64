"""Users, their logins and keys, the audit log, and how busy the installation was."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TIMESTAMP

revision = "0011"
down_revision = "0010"

_KEY = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
_MOMENT = sa.String(32).with_variant(TIMESTAMP(timezone=True), "postgresql")


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("username", sa.Text(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_users"),
    )
    _create_sessions()
    op.create_table(
        "oauth_states",
        sa.Column("state_hash", _KEY, nullable=False),
        sa.Column("browser_hash", _KEY, nullable=False),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("return_to", sa.Text(), nullable=False),
        sa.Column("sealed_verifier", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("state_hash", name="pk_oauth_states"),
    )
    op.create_table(
        "access_keys",
        sa.Column("key_hash", _KEY, nullable=False),
        sa.Column("user_id", _KEY, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key_hash", name="pk_access_keys"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_access_keys_user_id", ondelete="CASCADE"),
    )
    op.create_index("ix_access_keys_user_id", "access_keys", ["user_id"])
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=True),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_table(
        "fleet_minutes",
        sa.Column("minute", _MOMENT, nullable=False),
        sa.Column("worker_count", sa.Integer(), nullable=False),
        sa.Column("running_runs", sa.Integer(), nullable=False),
        sa.Column("queued_runs", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("minute", name="pk_fleet_minutes"),
    )


def _create_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("cookie_hash", _KEY, nullable=False),
        sa.Column("user_id", _KEY, nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("sealed_tokens", sa.LargeBinary(), nullable=False),
        sa.Column("token_expires_at", _MOMENT),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("renewing_until", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_sessions"),
        sa.UniqueConstraint("cookie_hash", name="uq_sessions_cookie_hash"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_sessions_user_id", ondelete="CASCADE"),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
