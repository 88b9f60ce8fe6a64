"""What blocks the event loop is named, and a busy loop is not blocked."""

import asyncio
import time
from collections.abc import Callable

import pytest

from assay.engine.loop_watchdog import LoopWatchdog


def sleeps_on_the_loop() -> None:
    time.sleep(2)


def computes_on_the_loop() -> None:
    end = time.thread_time() + 0.6
    while time.thread_time() < end:
        pass


def holds_the_interpreter() -> None:
    # One call in C, during which no other thread can run, as long on a fast machine as on a slow one.
    start = time.thread_time()
    sum(range(1_000_000))
    sum(range(int(1_000_000 * 0.8 / (time.thread_time() - start))))


async def watched(block: Callable[[], None]) -> LoopWatchdog:
    watchdog = LoopWatchdog()
    async with watchdog.watching():
        # Not a multiple of the watchdog's tick, at which its thread could be in the middle of its work.
        await asyncio.sleep(0.23)
        block()
        await asyncio.sleep(0.2)
    return watchdog


@pytest.mark.parametrize("block", [sleeps_on_the_loop, computes_on_the_loop])
async def test_what_blocks_the_loop_is_named(
    block: Callable[[], None], caplog: pytest.LogCaptureFixture
) -> None:
    watchdog = await watched(block)
    assert watchdog.blocked_count == 1
    assert f"in {block.__name__}" in caplog.text
    assert __file__ in caplog.text


async def test_a_call_that_holds_the_interpreter_is_counted(caplog: pytest.LogCaptureFixture) -> None:
    watchdog = await watched(holds_the_interpreter)
    assert watchdog.blocked_count == 1
    assert watchdog.longest_s >= 0.25
    assert f"was blocked for {watchdog.longest_s:.2f} s" in caplog.text


async def test_a_loop_with_much_to_do_is_not_blocked() -> None:
    watchdog = LoopWatchdog()
    async with watchdog.watching():
        end = time.monotonic() + 0.7
        while time.monotonic() < end:
            await asyncio.sleep(0)
    assert watchdog.blocked_count == 0
