"""The part of the SQL store that says when endpoints may be asked."""

from assay.adapters.store import quota_queries
from assay.adapters.store.engine import Database
from assay.domain.quota import Claim, Grant


class SqlQuotas:
    database: Database

    async def grant(self, claim: Claim) -> Grant:
        return await self.database.write(lambda connection: quota_queries.grant(connection, claim))
