"""A load test from the check of the endpoint to its result."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from random import Random
from uuid import uuid4

from assay.domain.calls.messages import Completion
from assay.domain.calls.pricing import Price
from assay.domain.errors import CallError
from assay.domain.load import Ending, LevelResult, LoadSpec, LoadTest, LoadTestId, Stage
from assay.engine.load.aggregate import Reading, StageSamples, Window, level_result
from assay.engine.load.allowance import Allowance
from assay.engine.load.generator import Generator
from assay.engine.load.goodput import read_goodput
from assay.engine.load.prompts import Requests
from assay.engine.load.schedule import client_spans, due_times
from assay.engine.ports import Clock, ModelClient

_SLICES = 8
_LEAST_WINDOW_S = 0.001
_NOTES = {
    "closed": (
        "Closed loop: each client sends again only when its reply has come, so a slow endpoint gets fewer"
        " requests and queueing beyond the clients cannot be seen; an open loop shows it."
    ),
    "open": (
        "Open loop: requests are due on a schedule that waits for no reply, and latencies count from the"
        " moment a request was due, so no stall is left out (no coordinated omission). Measures that end in"
        " _sent_ms (SENT) count from the actual sending."
    ),
}


@dataclass(slots=True)
class LoadRun:
    """`result` is complete once `execute` has returned; if that was cancelled, it holds what was measured."""

    spec: LoadSpec
    client: ModelClient
    clock: Clock
    requests: Requests
    price: Price | None = None
    code_version: str = ""
    on_level: Callable[[LevelResult], None] = lambda _: None
    _id: LoadTestId = field(default_factory=lambda: LoadTestId(str(uuid4())))
    _levels: list[LevelResult] = field(default_factory=list[LevelResult])
    _numbers: Iterator[int] = field(default_factory=count)
    _ending: Ending = "interrupted"
    _reading: Reading = field(init=False)
    _allowance: Allowance = field(init=False)
    _created_at: datetime = field(init=False)
    _started_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._reading = Reading(self.spec.loop, read_goodput(self.spec.goodput), self.spec.stall_ms)
        # What is wrong with a length is said before anything is sent.
        self.requests.request(0)
        self._created_at = self.clock.now()
        self._started_s = self.clock.monotonic()
        ends_s = self._started_s + self.spec.limits.duration_s
        self._allowance = Allowance(self.spec.limits, self.clock, self.price, ends_s)

    async def execute(self) -> None:
        """Raises EndpointError or CallError if the endpoint answers nothing before the first stage."""
        await self.client.check()
        await self._warm_up()
        for number, stage in enumerate(self.spec.stages):
            if self._allowance.ending is not None:
                break
            await self._hold(stage, number)
        self._ending = self._allowance.ending or "finished"

    def result(self) -> LoadTest:
        return LoadTest(
            id=self._id,
            spec=self.spec,
            endpoint=self.client.endpoint,
            created_at=self._created_at,
            duration_s=self.clock.monotonic() - self._started_s,
            levels=tuple(self._levels),
            ending=self._ending,
            requests=self._allowance.requests,
            tokens=self._allowance.tokens,
            cost_usd=self._allowance.cost_usd,
            code_version=self.code_version,
            notes=(_NOTES[self.spec.loop],),
        )

    async def _warm_up(self) -> None:
        """One after the other; the client learns from them what the endpoint supports."""
        failures: list[CallError] = []
        for number in range(self.spec.warm_up):
            request = replace(self.requests.request(-1 - number), is_single=False)
            completion: Completion | None = None
            self._allowance.begin()
            try:
                completion = await self.client.complete(request)
            except CallError as error:
                failures.append(error)
            finally:
                self._allowance.end(request, completion)
        if len(failures) == self.spec.warm_up:
            raise failures[-1]

    async def _hold(self, stage: Stage, number: int) -> None:
        spec = self.spec
        generator = Generator(
            self.client, self.clock, lambda: self.requests.request(next(self._numbers)), self._allowance
        )
        random = Random(f"{spec.seed}:stage:{number}")  # noqa: S311  a reproducible schedule
        started_s = self.clock.monotonic()
        try:
            if spec.loop == "open":
                due = due_times(stage, spec.stage_s, spacing=spec.spacing, random=random)
                await generator.open_loop(due, stage_s=spec.stage_s, most=spec.stage_requests)
            else:
                await generator.closed_loop(client_spans(stage, spec.stage_s), most=spec.stage_requests)
        finally:
            self._add_levels(stage, generator, started_s)

    def _add_levels(self, stage: Stage, generator: Generator, started_s: float) -> None:
        found = StageSamples(generator.samples, generator.loop_lags)
        for window in _windows(stage, self.spec.stage_s, started_s, self.clock.monotonic()):
            if any(window.has(one.due_s) for one in generator.samples):
                level = level_result(found, window, self._reading)
                self._levels.append(level)
                self.on_level(level)


def _windows(stage: Stage, stage_s: float, started_s: float, over_s: float) -> list[Window]:
    """The whole time of a step, until its last reply; a ramp in slices, as far as it came."""
    if not stage.is_ramp:
        end_s = math.nextafter(max(over_s, started_s + _LEAST_WINDOW_S), math.inf)
        return [Window(stage.first, started_s, end_s)]
    slice_s = stage_s / _SLICES
    return [
        Window(
            stage.at((number + 0.5) / _SLICES),
            started_s + number * slice_s,
            min(started_s + (number + 1) * slice_s, over_s),
            is_slice=True,
        )
        for number in range(_SLICES)
    ]
