"""Sends the requests of a stage: on a schedule, whatever is unanswered, or from clients that wait."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

from assay.domain.calls.messages import Completion
from assay.domain.errors import CallError, EndpointError
from assay.domain.load import NOT_SENT
from assay.engine.load.allowance import Allowance
from assay.engine.load.sample import Sample, answered
from assay.engine.ports import Clock, ModelClient, Request
from assay.engine.tasks import task_group

_TICK_S = 0.02


@dataclass(slots=True)
class Generator:
    """Makes each call once and without a limiter: what an endpoint refuses is a result."""

    client: ModelClient
    clock: Clock
    next_request: Callable[[], Request]
    allowance: Allowance
    samples: list[Sample] = field(default_factory=list[Sample])
    loop_lags: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])

    async def open_loop(self, due_times: Iterator[float], *, stage_s: float, most: int | None = None) -> None:
        """Send each request when it is due; returns when the time is over and all are answered."""
        started_s = self.clock.monotonic()
        async with self._measuring_lag(), task_group() as group:
            for number, due_s in enumerate(due_times):
                if number == most:
                    return
                # Made before it is due: the text of a long prompt takes a moment.
                request = self.next_request()
                await self._wait_until(started_s + due_s)
                if self.allowance.ending is not None:
                    return
                if self.allowance.in_flight >= self.allowance.limits.in_flight:
                    now_s = self.clock.monotonic()
                    self.samples.append(Sample(started_s + due_s, now_s, now_s, error=NOT_SENT))
                    continue
                self.allowance.begin()
                group.create_task(self._send(request, due_s=started_s + due_s))
            await self._wait_until(started_s + stage_s)

    async def closed_loop(self, spans: tuple[tuple[float, float], ...], *, most: int | None = None) -> None:
        """Let each client send, wait for the reply and send again, for as long as its span."""
        started_s = self.clock.monotonic()
        numbers = count() if most is None else iter(range(most))
        async with self._measuring_lag(), task_group() as group:
            for from_s, to_s in spans:
                group.create_task(self._client(started_s + from_s, started_s + to_s, numbers))

    async def _client(self, from_s: float, to_s: float, numbers: Iterator[int]) -> None:
        await self._wait_until(from_s)
        due_s = max(from_s, self.clock.monotonic())
        while due_s < to_s and self.allowance.ending is None and next(numbers, None) is not None:
            self.allowance.begin()
            sample = await self._send(self.next_request(), due_s=due_s)
            due_s = sample.ended_s

    async def _send(self, request: Request, *, due_s: float) -> Sample:
        completion: Completion | None = None
        called_s = self.clock.monotonic()
        try:
            completion = await self.client.complete(request)
            sample = answered(due_s, called_s, self.clock.monotonic(), completion)
        except (CallError, EndpointError) as error:
            sample = Sample(due_s, called_s, self.clock.monotonic(), error=error.code)
        finally:
            self.allowance.end(request, completion)
        self.samples.append(sample)
        return sample

    async def _wait_until(self, moment_s: float) -> None:
        while (left_s := moment_s - self.clock.monotonic()) > 0:
            await self.clock.sleep(left_s)

    @asynccontextmanager
    async def _measuring_lag(self) -> AsyncGenerator[None]:
        """Note how late the event loop wakes a task, as it would be late to notice what arrives."""

        async def tick() -> None:
            while True:
                due_s = self.clock.monotonic() + _TICK_S
                await self.clock.sleep(_TICK_S)
                now_s = self.clock.monotonic()
                self.loop_lags.append((now_s, (now_s - due_s) * 1000))

        ticking = asyncio.create_task(tick())
        try:
            yield
        finally:
            ticking.cancel()
