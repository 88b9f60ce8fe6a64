"""The contract of the offload store: attempts move into files and back, and nothing is lost on the way."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.store.offload.folder import OffloadFolder
from assay.adapters.store.stores import open_stores
from assay.domain.attempt import Attempt, AttemptKey
from assay.domain.errors import ConflictError, DataMissingError, OffloadedError, StoreError, UnknownNameError
from assay.domain.outcome import RETRYABLE, Outcome
from assay.domain.review import Annotation, Label
from assay.domain.run import State
from assay.engine.stores import Stores
from assay.engine.stores.attempts import AttemptFilter
from assay.engine.stores.runs import RunFilter
from tests.builders import NOON, Seeded, attempt
from tests.contracts.test_run_store_attempts import DETAILS, FULL, LONG, call, missing

RUN, EVALUATION = Seeded().run, Seeded().evaluation()
ENDED = NOON + timedelta(hours=1)
LATER = NOON + timedelta(days=200)


class Folder(OffloadFolder):
    """Fails when told to."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.gets_left = 1_000
        self.is_full = False

    def put(self, name: str, content: Path) -> None:
        if self.is_full:
            raise StoreError("no room")
        super().put(name, content)

    def local_copy(self, name: str, sha256: str) -> Path | None:
        self.gets_left -= 1
        if self.gets_left < 0:
            raise StoreError("away")
        return super().local_copy(name, sha256)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "home")


@pytest.fixture
async def store(store_url: str, folder: Folder) -> AsyncGenerator[Stores]:
    store = await open_stores(store_url, offloaded=folder)
    evaluations = [EVALUATION, Seeded(evaluation_id="evaluation-2").evaluation()]
    await store.runs.add(RUN, evaluations, [])
    await store.attempts.add(list(attempts()))
    await store.attempts.add([attempt(evaluation_id=evaluations[1].id, prompt=LONG)])
    for state in (State.RUNNING, State.CANCELED):
        await store.runs.set_evaluation_state(EVALUATION.id, state, at=ENDED)
        await store.runs.set_state(RUN.id, state, at=ENDED)
    yield store
    await store.close()


def attempts() -> list[Attempt]:
    odd = "NUL \x00, mark \x1a, half \udc00, ü"
    return [
        FULL,
        *(attempt(str(number), details=details) for number, details in enumerate(DETAILS)),
        attempt("10", prompt=odd, answer=odd * 200, reasoning=odd, test_code="", explanation=odd),
        missing(
            "11", calls=(call(1, role="judge", error_message=odd), call(2)), judge_cost_usd=Decimal("0.10")
        ),
        missing("12", error_message="away"),
        *(attempt(f"many {number:03}", answer=LONG, prompt=LONG) for number in range(220)),
    ]


async def everything(store: Stores) -> dict[str, Any]:
    """All that can be asked for whether the attempts are in the database or not."""
    found = store.attempts
    page = await store.runs.page_with_outcomes(RunFilter())
    return {
        "whole": [(one, [made.arrivals for made in one.calls]) async for one in found.whole(EVALUATION.id)],
        "results": [one async for one in found.results(EVALUATION.id)],
        "answers": [one async for one in found.answers(EVALUATION.id)],
        "missing": await found.page(EVALUATION.id, AttemptFilter(outcomes=RETRYABLE)),
        "after": await found.page(EVALUATION.id, AttemptFilter(after=FULL.key, limit=7, offset=2)),
        "count": await found.count(EVALUATION.id, AttemptFilter()),
        "spent": await found.spent(RUN.id),
        "outcomes": await found.outcome_counts([RUN.id]),
        "errors": await found.error_kinds([RUN.id]),
        "tokens": await found.tokens_used([RUN.id]),
        "latencies": await found.latencies([RUN.id]),
        "listed": [one.outcomes for one in page.runs],
    }


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("home/**/*") if path.is_file())


async def in_database(store: Stores) -> int:
    """Attempts and calls that the database holds, wherever the run says they are."""
    measured = await store.offload.measure([RUN.id])
    return measured.attempts[RUN.id]


async def test_attempts_are_the_same_in_files_and_when_they_come_back(store: Stores) -> None:
    before = await everything(store)
    measured = await store.offload.measure([RUN.id])
    assert measured.freed_bytes > 220 * 100
    done = await store.offload.offload(RUN.id, at=LATER)
    assert done.attempts == measured.attempts[RUN.id] == len(attempts()) + 1
    assert 0 < done.file_bytes < 100_000
    assert (await store.runs.get(RUN.id)).offloaded_at == LATER
    assert await in_database(store) == 0
    await store.runs.delete_unused_texts()
    assert await everything(store) == before
    assert await store.offload.restore(RUN.id) == done
    assert (await store.runs.get(RUN.id)).offloaded_at is None
    assert await everything(store) == before
    found = await store.attempts.found(EVALUATION.id, AttemptFilter(search="half \udc00"))
    assert found.total == 1


async def test_single_items_of_an_offloaded_run_are_refused_with_the_way_back(store: Stores) -> None:
    await store.offload.offload(RUN.id, at=LATER)
    said = "`assay offload --restore 00000000`"
    for wanted in (AttemptFilter(search="x"), AttemptFilter(sort="-score")):
        with pytest.raises(OffloadedError, match=said):
            await store.attempts.page(EVALUATION.id, wanted)
    with pytest.raises(OffloadedError, match=said):
        await store.attempts.get(EVALUATION.id, FULL.key)
    with pytest.raises(OffloadedError):
        await store.attempts.stored_among(EVALUATION.id, [FULL.key])
    with pytest.raises(OffloadedError):
        await store.attempts.found(EVALUATION.id, AttemptFilter())
    with pytest.raises(OffloadedError):
        await store.attempts.count(EVALUATION.id, AttemptFilter(search="x"))
    label = Annotation(EVALUATION.id, FULL.item_id, FULL.sample, Label.FIX, NOON)
    with pytest.raises(OffloadedError):
        await store.reviews.add_annotation(label)


async def test_an_offloaded_run_is_not_opened_again(store: Stores) -> None:
    await store.offload.offload(RUN.id, at=LATER)
    with pytest.raises(OffloadedError):
        await store.runs.set_state(RUN.id, State.QUEUED, at=LATER)
    await store.offload.restore(RUN.id)
    await store.runs.set_state(RUN.id, State.QUEUED, at=LATER)
    with pytest.raises(ConflictError, match="only runs that have ended"):
        await store.offload.offload(RUN.id, at=LATER)
    with pytest.raises(ConflictError, match="is not offloaded"):
        await store.offload.restore(RUN.id)


async def test_nothing_is_deleted_where_the_files_cannot_be_written_or_read_back(
    store: Stores, folder: Folder
) -> None:
    before = await everything(store)
    folder.is_full = True
    with pytest.raises(StoreError, match="no room"):
        await store.offload.offload(RUN.id, at=LATER)
    folder.is_full, folder.gets_left = False, 1
    with pytest.raises(StoreError, match="away"):
        await store.offload.offload(RUN.id, at=LATER)
    assert (await store.runs.get(RUN.id)).offloaded_at is None
    assert await in_database(store) == len(attempts()) + 1
    folder.gets_left = 1_000
    assert await everything(store) == before
    await store.offload.offload(RUN.id, at=LATER)
    assert await everything(store) == before


async def test_one_that_stopped_while_rows_were_deleted_is_finished(store: Stores, folder: Folder) -> None:
    before = await everything(store)
    # Both files are read back; the first is read once more to delete its rows, and the second is not.
    folder.gets_left = 3
    with pytest.raises(StoreError, match="away"):
        await store.offload.offload(RUN.id, at=LATER)
    folder.gets_left = 1_000
    assert 0 < await in_database(store) < len(attempts()) + 1
    assert await everything(store) == before
    assert await store.offload.ended_before(LATER) == [RUN.id]
    await store.offload.offload(RUN.id, at=LATER)
    assert await in_database(store) == 0
    assert await store.offload.ended_before(LATER) == []
    assert await everything(store) == before


async def test_one_that_stopped_while_it_came_back_is_repeated(store: Stores, folder: Folder) -> None:
    before = await everything(store)
    await store.offload.offload(RUN.id, at=LATER)
    folder.gets_left = 1
    with pytest.raises(StoreError, match="away"):
        await store.offload.restore(RUN.id)
    folder.gets_left = 1_000
    assert await everything(store) == before
    await store.offload.restore(RUN.id)
    assert await everything(store) == before


async def test_a_file_that_was_changed_or_lost_is_told(store: Stores, tmp_path: Path) -> None:
    await store.offload.offload(RUN.id, at=LATER)
    stored = files(tmp_path)
    content = stored[0].read_bytes()
    stored[0].write_bytes(content[:-1] + b"!")
    with pytest.raises(StoreError, match="the checksum differs"):
        await everything(store)
    with pytest.raises(StoreError, match="the checksum differs"):
        await store.offload.restore(RUN.id)
    stored[0].unlink()
    with pytest.raises(DataMissingError, match="restore the file from a back-up"):
        await everything(store)


async def test_only_runs_that_ended_long_enough_ago_are_found(store: Stores) -> None:
    other = Seeded(replace(RUN, id=type(RUN.id)("11111111-run")), "evaluation-3")
    await store.runs.add(other.run, [other.evaluation()], [])
    assert await store.offload.ended_before(ENDED) == []
    assert await store.offload.ended_before(ENDED + timedelta(seconds=1)) == [RUN.id]


async def test_the_files_go_with_the_run(store: Stores, tmp_path: Path) -> None:
    await store.offload.offload(RUN.id, at=LATER)
    await store.offload.delete_unused_files()
    assert len(files(tmp_path)) == 2
    await store.runs.delete(RUN.id)
    await store.offload.delete_unused_files()
    assert not files(tmp_path)
    with pytest.raises(UnknownNameError):
        await store.attempts.get(EVALUATION.id, AttemptKey(FULL.item_id, 0))


async def test_without_a_place_for_files_nothing_moves(store: Stores, store_url: str) -> None:
    bare = await open_stores(store_url)
    with pytest.raises(StoreError, match="there is no place for the file"):
        await bare.offload.offload(RUN.id, at=LATER)
    await bare.close()
    assert await in_database(store) == len(attempts()) + 1
    assert {Outcome.TIMEOUT: 2}.items() <= (await store.attempts.outcome_counts([RUN.id]))[
        EVALUATION.id
    ].items()
