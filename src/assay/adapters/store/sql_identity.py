"""The part of the SQL store that knows who uses the installation."""

from datetime import datetime

from assay.adapters.store import identity_queries
from assay.adapters.store.engine import Database
from assay.domain.identity import AuditEntry, Role, Session, User
from assay.engine.stores.identity import PendingLogin


class SqlIdentity:
    database: Database

    async def add_login(self, login: PendingLogin, *, at: datetime) -> None:
        await self.database.write(lambda connection: identity_queries.add_login(connection, login, at=at))

    async def take_login(self, state: str, *, at: datetime) -> PendingLogin | None:
        return await self.database.write(
            lambda connection: identity_queries.take_login(connection, state, at=at)
        )

    async def open_session(self, session: Session, *, cookie_hash: str) -> Session:
        return await self.database.write(
            lambda connection: identity_queries.open_session(connection, session, cookie_hash=cookie_hash)
        )

    async def session_of(self, cookie_hash: str) -> Session | None:
        return await self.database.read(
            lambda connection: identity_queries.session_of(connection, cookie_hash)
        )

    async def session(self, session_id: str) -> Session | None:
        return await self.database.read(lambda connection: identity_queries.session(connection, session_id))

    async def claim_renewal(self, session_id: str, *, at: datetime, until: datetime) -> bool:
        return await self.database.write(
            lambda connection: identity_queries.claim_renewal(connection, session_id, at=at, until=until)
        )

    async def renew_session(
        self, session_id: str, *, sealed_tokens: bytes, token_expires_at: datetime | None
    ) -> None:
        await self.database.write(
            lambda connection: identity_queries.renew_session(
                connection, session_id, sealed_tokens=sealed_tokens, token_expires_at=token_expires_at
            )
        )

    async def close_session(self, session_id: str) -> None:
        await self.database.write(lambda connection: identity_queries.close_session(connection, session_id))

    async def users(self) -> tuple[User, ...]:
        return await self.database.read(identity_queries.every_user)

    async def set_role(self, user_id: str, role: Role) -> User:
        return await self.database.write(
            lambda connection: identity_queries.set_role(connection, user_id, role)
        )

    async def add_key_user(self, user: User, *, key_hash: str) -> None:
        await self.database.write(
            lambda connection: identity_queries.add_key_user(connection, user, key_hash=key_hash)
        )

    async def key_user(self, key_hash: str) -> User | None:
        return await self.database.read(lambda connection: identity_queries.key_user(connection, key_hash))

    async def remove_user(self, user_id: str) -> None:
        await self.database.write(lambda connection: identity_queries.remove_user(connection, user_id))

    async def note(self, entry: AuditEntry) -> None:
        await self.database.write(lambda connection: identity_queries.note(connection, entry))

    async def audit_log(self, *, limit: int, offset: int = 0) -> tuple[AuditEntry, ...]:
        return await self.database.read(
            lambda connection: identity_queries.audit_log(connection, limit=limit, offset=offset)
        )
