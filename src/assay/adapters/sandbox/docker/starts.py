"""Spreads the starts of programs in containers over time."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

# After this time the engine has started a program, whether it has ended or not.
_STARTED_S = 0.5


class Starts:
    """As many at once as there are processors.

    Starting a program takes the engine and its helpers more processor time than most programs use: were
    sixteen started at the same moment, whoever else wants the processors would have to wait.
    """

    def __init__(self, at_once: int) -> None:
        self._places = asyncio.Semaphore(at_once)

    @asynccontextmanager
    async def one(self) -> AsyncGenerator[None]:
        """Held until the block ends, or what it does may count as started."""
        await self._places.acquire()
        is_held = True

        def release() -> None:
            nonlocal is_held
            if is_held:
                is_held = False
                self._places.release()

        timer = asyncio.get_running_loop().call_later(_STARTED_S, release)
        try:
            yield
        finally:
            timer.cancel()
            release()
