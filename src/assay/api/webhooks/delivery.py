"""Notifies the addresses that users gave when their batches have ended."""

import asyncio
import hashlib
import hmac
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from assay.api.dependencies import ApiServices
from assay.api.errors import invalid
from assay.api.runs.dataset_runs import dataset_run
from assay.api.schemas.batch.openai_batch import Batch
from assay.api.schemas.batch.webhooks import WebhookConfig
from assay.domain.access.secret import Secret
from assay.domain.errors import AssayError, EndpointError, StoreError
from assay.domain.run import Run
from assay.engine.log_context import about_run
from assay.engine.stores.webhooks import Webhook

SendWebhook = Callable[[str, bytes, Mapping[str, str]], Awaitable[int]]
"""Sends a body with headers to an address and returns the status; raises AssayError."""

# How long to wait after each failed try; after the last one the webhook is given up.
RETRY_AFTER: Final = tuple(timedelta(seconds=one) for one in (10, 60, 300, 1800))
_CLAIMED_FOR: Final = timedelta(minutes=2)
_POLL_S: Final = 5.0
_SUCCESS: Final = range(200, 300)
_log = logging.getLogger(__name__)


def require_webhook_allowed(webhook: WebhookConfig | None, services: ApiServices) -> None:
    if webhook is None:
        return
    services.endpoints.require_host(webhook.url, field="webhook.url")
    if webhook.secret is None and not services.webhook_secret:
        raise invalid("webhook.secret", "is needed to sign what is sent, as the server has no WEBHOOK_SECRET")


async def add_webhook(webhook: WebhookConfig | None, run: Run, services: ApiServices) -> None:
    if webhook is None:
        return
    vault = services.engine.credentials.vault
    sealed = None if webhook.secret is None else vault.seal(Secret(webhook.secret))
    now = services.clock.now()
    await services.stores.webhooks.add(Webhook(run.id, webhook.url, now, now, sealed_secret=sealed))


async def deliver_webhooks(services: ApiServices, send: SendWebhook) -> None:
    """Run until cancelled."""
    while True:
        try:
            while await deliver_next(services, send):
                pass
        except StoreError as error:
            _log.warning("webhooks could not be read: %s", error.message)
        await asyncio.sleep(_POLL_S)


async def deliver_next(services: ApiServices, send: SendWebhook) -> bool:
    """Try the webhook that has waited longest; False if none is due."""
    now = services.clock.now()
    webhook = await services.stores.webhooks.claim(at=now, until=now + _CLAIMED_FOR)
    if webhook is None:
        return False
    with about_run(webhook.run_id):
        return await _deliver(webhook, services, send, now=now)


async def _deliver(webhook: Webhook, services: ApiServices, send: SendWebhook, *, now: datetime) -> bool:
    tried = replace(webhook, tries=webhook.tries + 1)
    try:
        await _send(webhook, services, send, now=now)
    except StoreError:
        # No fault of the address: the claim lapses, and the webhook is tried again.
        raise
    except AssayError as error:
        wait = RETRY_AFTER[webhook.tries] if webhook.tries < len(RETRY_AFTER) else None
        _log.warning("the webhook of run %s failed, try %d: %s", webhook.run_id, tried.tries, error.message)
        tried = replace(tried, error=error.message, next_at=None if wait is None else now + wait)
    else:
        tried = replace(tried, error=None, next_at=None, delivered_at=now)
    await services.stores.webhooks.record_try(tried)
    return True


async def _send(webhook: Webhook, services: ApiServices, send: SendWebhook, *, now: datetime) -> None:
    # The policy may have changed since the webhook was added.
    services.endpoints.require_host(webhook.url, field="webhook.url")
    secret = services.webhook_secret or ""
    if webhook.sealed_secret is not None:
        secret = services.engine.credentials.vault.unseal(webhook.sealed_secret).value
    sent_at = int(now.timestamp())
    body = await _body(webhook, services, sent_at)
    headers = {
        "Content-Type": "application/json",
        "X-Webhook-Signature": f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}",
        "X-Webhook-Timestamp": str(sent_at),
    }
    status = await send(webhook.url, body, headers)
    if status not in _SUCCESS:
        raise EndpointError(f"the address answered with status {status}")


async def _body(webhook: Webhook, services: ApiServices, sent_at: int) -> bytes:
    """The batch as JSON with sorted keys, so that a receiver who parses it can write the same bytes again."""
    batch = Batch.of(await dataset_run(services.stores, f"batch_{webhook.run_id}_0", kind="batch_"))
    content = batch.model_dump(mode="json") | {
        "output_file_url": _file_path(batch.output_file_id),
        "error_file_url": _file_path(batch.error_file_id),
        "sent_at": sent_at,
    }
    return json.dumps(content, sort_keys=True).encode()


def _file_path(file_id: str | None) -> str | None:
    return None if file_id is None else f"/v1/files/{file_id}/content"
