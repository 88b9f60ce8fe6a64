"""The contract of the store for sealed keys, and for how many runs of one owner are under way."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from assay.domain.errors import LimitReachedError
from assay.domain.run import RunId, State
from assay.engine.stores import Stores
from assay.engine.stores.runs import NewRun
from tests.builders import NOON
from tests.contracts.test_fleet_store import fail, new_run, nothing_more

OpenFleet = Callable[[], Awaitable[Stores]]
SEALED = b"\x00sealed\xff"
RUN = RunId("run-1")


def keyed(name: str = "run-1") -> NewRun:
    new = new_run(name)
    run = replace(new.run, spec=replace(new.run.spec, credential=f"credential of {name}"))
    return replace(new, run=run, sealed_key=SEALED)


async def test_a_key_comes_with_its_run_and_is_found_by_other_processes(
    store: Stores, reopen: OpenFleet
) -> None:
    new = keyed()
    await store.runs.create(new, within=nothing_more)
    other = await reopen()
    assert await other.secrets.get("credential of run-1") == SEALED
    assert (await other.runs.get(RUN)).spec.credential == "credential of run-1"
    assert await other.secrets.get("credential of run-2") is None


async def test_a_run_that_was_not_stored_leaves_no_key(store: Stores) -> None:
    with pytest.raises(ZeroDivisionError):
        await store.runs.create(keyed(), within=fail)
    assert await store.secrets.get("credential of run-1") is None


@pytest.mark.parametrize("end", [State.SUCCEEDED, State.FAILED, State.CANCELED])
async def test_a_key_outlives_a_pause_and_not_the_end(store: Stores, end: State) -> None:
    await store.runs.create(keyed(), within=nothing_more)
    await store.runs.create(keyed("run-2"), within=nothing_more)
    for state in (State.RUNNING, State.PAUSED, State.QUEUED, State.RUNNING):
        await store.runs.set_state(RUN, state, at=NOON)
        assert await store.secrets.get("credential of run-1") == SEALED
    await store.runs.set_state(RUN, end, at=NOON)
    assert await store.secrets.get("credential of run-1") is None
    assert await store.secrets.get("credential of run-2") == SEALED


def limited(name: str, owner: str = "ada", **changes: str) -> NewRun:
    return new_run(name, owner=owner, most_active=2, **changes)


async def test_an_owner_has_no_more_runs_under_way_than_may_be(store: Stores) -> None:
    await store.runs.create(limited("run-1"), within=nothing_more)
    await store.runs.create(limited("run-2"), within=nothing_more)
    await store.runs.set_state(RunId("run-2"), State.PAUSED, at=NOON)
    with pytest.raises(LimitReachedError, match=r"2 of your runs .* at most 2 may be"):
        await store.runs.create(limited("run-3"), within=nothing_more)
    await store.runs.create(limited("run-4", owner="grace"), within=nothing_more)
    await store.runs.set_state(RunId("run-1"), State.CANCELED, at=NOON)
    await store.runs.create(limited("run-3"), within=nothing_more)


async def test_a_repeated_request_is_not_a_further_run(store: Stores) -> None:
    for name in ("run-1", "run-2"):
        await store.runs.create(limited(name, idempotency_key=name, request_hash="h"), within=nothing_more)
    again = await store.runs.create(
        limited("run-3", idempotency_key="run-2", request_hash="h"), within=nothing_more
    )
    assert again.id == "run-2"
    with pytest.raises(LimitReachedError):
        await store.runs.create(limited("run-3", idempotency_key="k", request_hash="h"), within=nothing_more)


async def test_requests_at_the_same_moment_do_not_pass_the_limit_together(
    store: Stores, reopen: OpenFleet
) -> None:
    stores = [store, await reopen(), await reopen(), await reopen()]
    started = await asyncio.gather(
        *(one.runs.create(limited(f"run-{n}"), within=nothing_more) for n, one in enumerate(stores)),
        return_exceptions=True,
    )
    assert sum(isinstance(one, LimitReachedError) for one in started) == 2
    assert await store.runs.count_active("ada") == 2
