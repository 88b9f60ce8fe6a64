"""Every line that is logged while a run is worked on names it, and the attempt where it is about one."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assay.adapters.store.attempts.store import SqlAttemptStore
from assay.adapters.store.runs.store import SqlRunStore
from assay.adapters.store.stores import sql_stores
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Completion
from assay.domain.errors import AssayError, RejectedError, StoreAwayError, StoreError
from assay.domain.run import Run
from assay.engine.execution.sink import AttemptWriter
from assay.engine.log_context import ATTEMPT, SHARD
from assay.engine.ports import Request
from tests.builders import ScriptedModel, World, attempt, right
from tests.log_lines import logged
from tests.stores import MemoryDatabase
from tests.unit.cli.service.test_logs import PLACE


def refusing(request: Request, number: int) -> Completion | AssayError:
    """Refuses two of the items."""
    return RejectedError("no") if request.cue().right in {"a", "c"} else right(request, number)


async def test_lines_of_a_run_name_run_shard_and_attempt() -> None:
    world = World(model=ScriptedModel(refusing))
    with logged() as lines:
        run = await world.run()
    [evaluation] = await world.store.runs.evaluations(run.id)
    assert {(one["run_id"], one["evaluation_id"]) for one in lines} == {(run.id, evaluation.id)}
    assert all("shard_id" in one for one in lines)
    refused = [one["attempt"] for one in lines if one["message"].startswith("attempt without a verdict")]
    assert len(set(refused)) == len(refused) == 2
    assert set(refused) <= {f"{item}/0" for item in evaluation.item_ids}


class AwayOnce(SqlRunStore):
    """The database goes away when a shard has just been taken."""

    is_away = True

    async def get(self, run_id: str) -> Run:
        if SHARD.get() is not None and self.is_away:
            self.is_away = False
            raise StoreAwayError("away")
        return await super().get(run_id)


async def test_a_shard_that_fails_before_it_begins_is_named_too() -> None:
    database = MemoryDatabase()
    world = World(store=replace(sql_stores(database), runs=AwayOnce(database)))
    with logged() as lines:
        run = await world.run()
    [told] = [one for one in lines if "trying again" in one["message"]]
    assert told["run_id"] == run.id


class Broken(SqlAttemptStore):
    async def add(self, attempts: Sequence[Attempt]) -> None:
        raise TypeError(f"a bug with {len(attempts)}")


async def write_two(writer: AttemptWriter) -> None:
    async with writer.open() as sink:
        await sink.put(attempt("0"))
        await sink.put(attempt("1"))


async def test_a_batch_that_is_lost_names_its_evaluations_and_no_single_attempt() -> None:
    """One task writes for all shards: it must not name the attempt that happened to come first."""
    writer = AttemptWriter(Broken(MemoryDatabase()))
    SHARD.set(PLACE)
    ATTEMPT.set(AttemptKey(ItemId("q7"), 2))
    with logged() as lines, pytest.raises(StoreError):
        await write_two(writer)
    [told] = lines
    assert told["message"] == "attempts could not be stored: 2 of evaluation evaluation-1"
    assert told.keys() == {"time", "level", "logger", "message", "exception"}
