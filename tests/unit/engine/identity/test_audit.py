import asyncio
from collections.abc import Sequence
from datetime import timedelta

from assay.domain.access.identity import AuditEntry
from assay.engine.fleet.audit_retention import forget_old_entries
from assay.engine.identity.audit import LEFT_OUT, MAX_REFUSALS, AuditLog
from assay.engine.stores import Stores
from tests.builders import ManualClock
from tests.stores import memory_stores


async def written(store: Stores) -> Sequence[AuditEntry]:
    return await store.identity.audit_log(limit=1_000)


async def test_everything_that_is_done_is_written_down() -> None:
    store, clock = memory_stores(), ManualClock()
    log = AuditLog(store.identity, clock)
    for number in range(2 * MAX_REFUSALS):
        await log.write("user:ada", "cancel_run", f"/api/runs/{number}/cancel")
    found = await written(store)
    assert len(found) == 2 * MAX_REFUSALS
    assert (found[0].actor, found[0].action, found[0].outcome) == ("user:ada", "cancel_run", "done")


async def test_of_refusals_so_many_per_minute_are_and_the_rest_is_counted() -> None:
    store, clock = memory_stores(), ManualClock()
    log = AuditLog(store.identity, clock)
    for _ in range(MAX_REFUSALS + 5):
        await log.write("anybody", "create_run", "/api/runs", "sign-in-needed")
    assert len(await written(store)) == MAX_REFUSALS
    await log.write("user:ada", "create_run", "/api/runs")
    assert len(await written(store)) == MAX_REFUSALS + 1
    await clock.sleep(60)
    await log.write("anybody", "create_run", "/api/runs", "sign-in-needed")
    newest, left_out, *_ = await written(store)
    assert newest.outcome == "sign-in-needed"
    assert left_out.action == LEFT_OUT
    assert left_out.target.startswith("5 in the minute from ")


async def test_a_long_target_is_cut() -> None:
    store = memory_stores()
    await AuditLog(store.identity, ManualClock()).write("anybody", "create_run", "x" * 100_000)
    assert len((await written(store))[0].target) == 1_000


async def test_old_entries_are_deleted_at_once_and_then_daily() -> None:
    store, clock = memory_stores(), ManualClock()
    log = AuditLog(store.identity, clock)
    await log.write("user:ada", "old")
    await clock.sleep(timedelta(days=1).total_seconds())
    await log.write("user:ada", "new")
    kept_for = timedelta(hours=23)
    task = asyncio.create_task(forget_old_entries(store.identity, clock, kept_for=kept_for))
    try:
        async with asyncio.timeout(60):
            while len(await written(store)) > 1:
                await asyncio.sleep(0.01)
    finally:
        task.cancel()
    assert [one.action for one in await written(store)] == ["new"]
