"""Runs the engine on an event loop in a thread of its own, so that one of the caller's is no obstacle."""

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from assay.cli.event_loop import run_async

T = TypeVar("T")

_TICK_S = 0.25


def nothing() -> None:
    """Do nothing while the caller waits."""


def wait_for(work: Callable[[], Coroutine[Any, Any, T]], *, tick: Callable[[], None] = nothing) -> T:
    """The result; `tick` is called here every quarter of a second, and Ctrl-C cancels the work."""
    thread = _EngineThread(work)
    try:
        while not thread.ended.wait(_TICK_S):
            tick()
    except KeyboardInterrupt:
        thread.cancel()
        # The work ends in order, as by pausing its run; another Ctrl-C does not wait for that.
        thread.ended.wait()
        raise
    tick()
    return thread.future.result()


async def wait_for_async(
    work: Callable[[], Coroutine[Any, Any, T]], *, tick: Callable[[], None] = nothing
) -> T:
    """The same without blocking the caller's loop; to cancel this cancels the work."""
    thread = _EngineThread(work)
    ended = asyncio.wrap_future(thread.future)
    is_cancelled = False
    while not ended.done():
        try:
            await asyncio.wait({ended}, timeout=_TICK_S)
        except asyncio.CancelledError:
            is_cancelled = True
            thread.cancel()
        tick()
    if is_cancelled:
        raise asyncio.CancelledError from (None if ended.cancelled() else ended.exception())
    return ended.result()


class _EngineThread(Generic[T]):
    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]]) -> None:
        self.future: Future[T] = Future()
        self.ended = threading.Event()
        self._work = work
        self._begun = threading.Event()
        self._cancel: Callable[[], object] = nothing
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(self._run,), name="assay", daemon=True).start()

    def cancel(self) -> None:
        self._begun.wait()
        self._cancel()

    def _run(self) -> None:
        try:
            self.future.set_result(run_async(self._main()))
        except asyncio.CancelledError:
            self.future.cancel()
        except BaseException as error:  # noqa: BLE001 # raised again where it is waited for
            self.future.set_exception(error)
        finally:
            self._begun.set()
            self.ended.set()

    async def _main(self) -> T:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()

        def cancel() -> None:
            # The work may have ended, and its loop with it.
            if task is not None and not loop.is_closed():
                loop.call_soon_threadsafe(task.cancel)

        self._cancel = cancel
        self._begun.set()
        return await self._work()
