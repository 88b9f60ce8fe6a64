import asyncio

import pytest

from assay.engine.tasks import task_group, uninterrupted


async def _fail() -> None:
    await asyncio.sleep(0)
    raise LookupError("first")


async def _group() -> None:
    async with task_group() as group:
        group.create_task(_fail())
        group.create_task(asyncio.Event().wait())


async def test_the_first_failure_is_raised_as_itself() -> None:
    with pytest.raises(LookupError, match="first"):
        await _group()


async def test_a_failure_leaves_no_cancellation_behind() -> None:
    with pytest.raises(LookupError):
        await _group()
    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_uninterrupted_work_ends_before_the_cancellation_counts() -> None:
    done: list[bool] = []
    may_end = asyncio.Event()

    async def work() -> None:
        await may_end.wait()
        done.append(True)

    task = asyncio.create_task(uninterrupted(work()))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done == [True]
