"""All values that are stored sealed, wherever they are."""

from collections.abc import Callable

from sqlalchemy import Column, Connection, select, update

from assay.adapters.store.database.transactions import DatabaseStore
from assay.adapters.store.identity.tables import oauth_states, sessions
from assay.adapters.store.secrets.tables import secrets
from assay.adapters.store.webhooks.tables import webhooks

# The key of each row, and its sealed value; empty or NULL where there is none.
_COLUMNS: tuple[tuple[Column[str], Column[bytes]], ...] = (
    (secrets.c.id, secrets.c.sealed),
    (sessions.c.id, sessions.c.sealed_tokens),
    (oauth_states.c.state_hash, oauth_states.c.sealed_verifier),
    (webhooks.c.run_id, webhooks.c.sealed_secret),
)
_PAGE = 200


class SqlSealedStore(DatabaseStore):
    async def reseal(self, renewed: Callable[[bytes], bytes]) -> None:
        for key, sealed in _COLUMNS:
            after: str | None = ""
            while after is not None:
                after = await self._reseal_page(key, sealed, after, renewed)

    async def _reseal_page(
        self, key: Column[str], sealed: Column[bytes], after: str, renewed: Callable[[bytes], bytes]
    ) -> str | None:
        """Returns the key of the last row; None where there were no more."""

        def work(connection: Connection) -> str | None:
            page = connection.execute(select(key, sealed).where(key > after).order_by(key).limit(_PAGE)).all()
            for row_key, before in page:
                if before and (now := renewed(before)) != before:
                    # What another process has written in the meantime stays.
                    changed = update(key.table).where(key == row_key, sealed == before)
                    connection.execute(changed.values({sealed: now}))
            return page[-1][0] if page else None

        return await self.database.write(work)
