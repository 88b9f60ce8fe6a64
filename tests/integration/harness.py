"""The API of the code harness over a benchmark of four letters that stands for the code catalogue."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay.adapters.datasets.library import FileDataLibrary
from assay.api.dependencies import ApiServices
from assay.domain.calls.messages import Completion
from assay.domain.errors import AssayError, CallTimeoutError
from assay.domain.run import RunId
from assay.engine.clock import SystemClock
from assay.engine.code_harness.options import Options
from assay.engine.execution.run_loop import execute_run
from assay.engine.models.retry import RetryPolicy
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import BenchmarkData, Request
from assay.engine.stores import Stores
from tests.builders import CARD, LetterBenchmark, ScriptedModel, World, rewired, right
from tests.integration.serving import services

ALL = ("0", "1", "2", "3")


@dataclass(frozen=True)
class LetterTasks(LetterBenchmark):
    """The items are called 0 to 3, and the letters a to d."""

    card: Any = replace(CARD, name="code_catalogue")

    def variant(self, name: str) -> "LetterTasks | None":
        options = Options.parse(name)
        generation = replace(CARD.generation, reasoning_effort=options.reasoning_effort) if options else None
        card = replace(CARD, name=f"code_catalogue:{name}", generation=generation or CARD.generation)
        return None if options is None else LetterTasks(card)

    def own_data(self, where: str) -> BenchmarkData:
        assert where == "official"
        return BenchmarkData(self.demo_tables(), "included:1", "c" * 64)


class HeldModel(ScriptedModel):
    def __init__(
        self,
        script: Callable[[Request, int], Completion | AssayError],
        wait: Callable[[Request], Awaitable[None]],
    ) -> None:
        super().__init__(script)
        self._wait = wait

    async def complete(self, request: Request) -> Completion:
        await self._wait(request)
        return await super().complete(request)


@dataclass
class Harness:
    """Its models answer right, except about the letters that they are silent about.

    Those that are held wait until they are released.
    """

    store: Stores
    folder: Path
    silent_about: set[str] = field(default_factory=set[str])

    def __post_init__(self) -> None:
        self._held: set[str] = set()
        self._released = asyncio.Event()
        self.model = HeldModel(self._reply, self._wait)
        made = services(self.store)
        world = World(store=self.store, model=self.model)
        catalogue = Catalogue({"code_catalogue": LetterTasks(), "letters": LetterBenchmark()})
        engine = rewired(
            world.engine,
            catalogue=catalogue,
            library=FileDataLibrary(self.folder),
            clock=SystemClock(),
            retries=RetryPolicy(doubtful_tries=1),
        )
        self.services: ApiServices = replace(made, engine=engine)

    def _reply(self, request: Request, number: int) -> Completion | AssayError:
        if request.cue().right in self.silent_about:
            return CallTimeoutError("no byte for 30 s")
        return right(request, number)

    async def _wait(self, request: Request) -> None:
        if request.cue().right in self._held:
            await self._released.wait()

    def hold(self, *letters: str) -> None:
        self._held |= set(letters)

    def release(self) -> None:
        self._released.set()

    async def executed(self, run_id: str) -> None:
        await execute_run(self.services.engine, RunId(run_id))

    def execute(self, run_id: str) -> None:
        asyncio.run(self.executed(run_id))
