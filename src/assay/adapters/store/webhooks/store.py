"""Addresses that are notified when a run ends."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from assay.adapters.store.database.transactions import DatabaseStore, read, write
from assay.adapters.store.runs.tables import runs
from assay.adapters.store.webhooks.tables import webhooks
from assay.domain.run import FINAL_STATES, RunId
from assay.engine.stores.webhooks import Webhook

_ENDED = [state.value for state in FINAL_STATES]
_IS_GIVEN_UP = webhooks.c.next_at.is_(None) & webhooks.c.delivered_at.is_(None)


class SqlWebhookStore(DatabaseStore):
    @write
    def add(self, connection: Connection, webhook: Webhook) -> None:
        values = {
            "run_id": webhook.run_id,
            "url": webhook.url,
            "sealed_secret": webhook.sealed_secret,
            "created_at": webhook.created_at,
        }
        connection.execute(insert(webhooks), values | _outcome(webhook))

    @read
    def get(self, connection: Connection, run_id: RunId) -> Webhook | None:
        row = connection.execute(select(webhooks).where(webhooks.c.run_id == run_id)).one_or_none()
        return None if row is None else _webhook(row)

    @write
    def claim(self, connection: Connection, *, at: datetime, until: datetime) -> Webhook | None:
        ended = select(runs.c.id).where(runs.c.state.in_(_ENDED))
        due = select(webhooks).where(webhooks.c.next_at <= at, webhooks.c.run_id.in_(ended))
        row = connection.execute(due.order_by(webhooks.c.next_at).limit(1)).one_or_none()
        if row is None:
            return None
        is_unclaimed = webhooks.c.run_id == row.run_id, webhooks.c.next_at == row.next_at
        claimed = connection.execute(update(webhooks).where(*is_unclaimed).values(next_at=until))
        return _webhook(row) if claimed.rowcount else None

    @write
    def record_try(self, connection: Connection, webhook: Webhook) -> None:
        statement = update(webhooks).where(webhooks.c.run_id == webhook.run_id)
        connection.execute(statement.values(_outcome(webhook)))

    @read
    def given_up(self, connection: Connection, *, limit: int, offset: int) -> tuple[tuple[Webhook, ...], int]:
        found = select(webhooks).where(_IS_GIVEN_UP)
        newest_first = webhooks.c.created_at.desc(), webhooks.c.run_id
        page = connection.execute(found.order_by(*newest_first).limit(limit).offset(offset))
        total = connection.execute(select(func.count()).where(_IS_GIVEN_UP)).scalar_one()
        return tuple(map(_webhook, page)), total


def _outcome(webhook: Webhook) -> dict[str, object]:
    return {
        "tries": webhook.tries,
        "next_at": webhook.next_at,
        "delivered_at": webhook.delivered_at,
        "error": webhook.error,
    }


def _webhook(row: Row[Any]) -> Webhook:
    return Webhook(
        run_id=row.run_id,
        url=row.url,
        created_at=row.created_at,
        next_at=row.next_at,
        tries=row.tries,
        delivered_at=row.delivered_at,
        error=row.error,
        sealed_secret=row.sealed_secret,
    )
