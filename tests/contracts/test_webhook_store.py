"""The contract of the store of webhooks."""

from dataclasses import replace
from datetime import timedelta

from assay.domain.run import Run, RunId, RunSpec, State
from assay.engine.stores import Stores
from assay.engine.stores.webhooks import Webhook
from tests.builders import NOON

LATER = NOON + timedelta(minutes=1)


async def added(store: Stores, run_id: str, state: State) -> Webhook:
    run = Run(RunId(run_id), RunSpec(("sim/good",), ("letters",)), NOON, state=state)
    await store.runs.add(run, [], [])
    webhook = Webhook(run.id, "https://example.org/hook", NOON, next_at=NOON, sealed_secret=b"sealed")
    await store.webhooks.add(webhook)
    return webhook


async def test_one_caller_gets_the_webhook_of_a_run_that_has_ended(store: Stores) -> None:
    await added(store, "running", State.RUNNING)
    ended = await added(store, "ended", State.SUCCEEDED)
    assert await store.webhooks.claim(at=NOON - timedelta(seconds=1), until=LATER) is None
    assert await store.webhooks.claim(at=NOON, until=LATER) == ended
    assert await store.webhooks.claim(at=NOON, until=LATER) is None
    assert await store.webhooks.claim(at=LATER, until=LATER) == replace(ended, next_at=LATER)


async def test_a_webhook_that_was_given_up_is_listed(store: Stores) -> None:
    lost = await added(store, "lost", State.FAILED)
    done = await added(store, "done", State.SUCCEEDED)
    assert await store.webhooks.given_up(limit=10, offset=0) == ((), 0)
    lost = replace(lost, tries=3, next_at=None, error="status 500")
    await store.webhooks.record_try(lost)
    await store.webhooks.record_try(replace(done, tries=1, next_at=None, delivered_at=LATER))
    assert await store.webhooks.given_up(limit=10, offset=0) == ((lost,), 1)
    assert await store.webhooks.get(lost.run_id) == lost
    assert await store.webhooks.get(RunId("nobody")) is None
    assert await store.webhooks.claim(at=LATER, until=LATER) is None
