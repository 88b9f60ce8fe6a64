"""Old runs are offloaded by the service."""

import asyncio
import logging
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assay.adapters.store.offload.folder import OffloadFolder
from assay.adapters.store.stores import sql_stores
from assay.domain.run import EvaluationId, RunId, State
from assay.engine.fleet.retention import keep_offloading
from assay.engine.stores import Stores
from tests.builders import NOON, Seeded, attempt
from tests.stores import MemoryDatabase


class Hours:
    """A clock that goes on when somebody sleeps, and stops after some hours."""

    def __init__(self, hours: int) -> None:
        self._left = hours
        self._now = NOON + timedelta(days=2)

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        self._left -= 1
        if not self._left:
            raise asyncio.CancelledError
        self._now += timedelta(seconds=seconds)


async def add(stores: Stores, name: str, ended_at: datetime) -> RunId:
    run = replace(Seeded().run, id=RunId(f"{name * 8}-run"))
    seeded = Seeded(run, f"evaluation-{name}")
    await stores.runs.add(run, [seeded.evaluation()], [])
    await stores.attempts.add([attempt(evaluation_id=EvaluationId(seeded.evaluation_id))])
    for state in (State.RUNNING, State.SUCCEEDED):
        await stores.runs.set_state(run.id, state, at=ended_at)
    return run.id


def put_file(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("in the way")


async def test_runs_go_when_they_are_old_enough_and_one_that_fails_stops_no_other(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stores = sql_stores(MemoryDatabase(), offloaded=OffloadFolder(tmp_path))
    failing = await add(stores, "a", NOON)
    old = await add(stores, "b", NOON + timedelta(hours=23))
    soon = await add(stores, "c", NOON + timedelta(days=1, hours=1, minutes=30))
    new = await add(stores, "d", NOON + timedelta(days=1, hours=20))
    # What is there cannot become a folder.
    put_file(tmp_path / "offloaded" / failing)
    with caplog.at_level(logging.INFO), pytest.raises(asyncio.CancelledError):
        await keep_offloading(stores, Hours(3), after=timedelta(days=1))
    moved = {run_id: (await stores.runs.get(run_id)).offloaded_at for run_id in (failing, old, soon, new)}
    first, last = NOON + timedelta(days=2), NOON + timedelta(days=2, hours=2)
    assert moved == {failing: None, old: first, soon: last, new: None}
    assert caplog.text.count(f"run {failing} cannot be offloaded") == 3
    assert f"offloaded run {old}: 1 attempts" in caplog.text
    await stores.close()
