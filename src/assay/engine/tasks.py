"""Structured concurrency with plain exceptions."""

import asyncio
import sys
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager


@asynccontextmanager
async def task_group() -> AsyncGenerator[asyncio.TaskGroup]:
    """A TaskGroup that raises its first failure itself, not an exception group."""
    task = asyncio.current_task()
    cancellations = task.cancelling() if task else 0
    try:
        async with asyncio.TaskGroup() as group:
            yield group
    except BaseExceptionGroup as failures:
        # Before Python 3.13 the group's own cancellation of its task stays pending after a failure.
        if sys.version_info < (3, 13) and task and task.cancelling() > cancellations:
            task.uncancel()
        raise failures.exceptions[0] from failures


async def uninterrupted(work: Coroutine[object, object, None]) -> None:
    """Finish the work even if the caller is cancelled, then raise the cancellation."""
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
