"""Structured concurrency with plain exceptions."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager


@asynccontextmanager
async def task_group() -> AsyncGenerator[asyncio.TaskGroup]:
    """A TaskGroup whose first failure is raised as itself, not inside a group."""
    task = asyncio.current_task()
    cancellations = task.cancelling() if task else 0
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as failures:
        # Before Python 3.13 the group's own request to stop its task is left standing after a failure.
        if sys.version_info < (3, 13) and task and task.cancelling() > cancellations:
            task.uncancel()
        raise failures.exceptions[0] from failures


async def uninterrupted(work: Coroutine[object, object, None]) -> None:
    """See the work through however often the caller is cancelled meanwhile; then the cancellation counts."""
    task = asyncio.create_task(work)
    is_cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            is_cancelled = True
    task.result()
    if is_cancelled:
        raise asyncio.CancelledError
