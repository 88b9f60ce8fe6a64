"""What `assay load` says, against the clock of the endpoint that sent it.

    python -m benchmarks.perf.load [--repeats 3] [--seconds 10]

Both processes read the same monotonic clock, and the endpoint stamps each chunk with the moment it sent it.
Prints for each repeat, as machines have other work too: at 200 requests/s in an open loop, how late requests
were sent; with 64 and 512 streams at once, by how much TTFT and the longest gap differ from those of the
stamps, and in which streams a planted stall was found.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import orjson
import uvloop

from assay.adapters.models.client import ClientOptions, HttpModelClient
from assay.adapters.models.endpoint import Endpoint
from assay.adapters.models.providers import provider_for
from assay.adapters.models.session import ClientLimits, SharedSession
from assay.domain.benchmark import Need
from assay.domain.calls.messages import Completion
from assay.domain.calls.pricing import Price
from assay.domain.load import LoadSpec, LoadTest, Stage
from assay.domain.stats import percentile_summary
from assay.engine.clock import SystemClock
from assay.engine.load.load_run import LoadRun
from assay.engine.load.prompts import Requests
from assay.engine.ports import Request
from benchmarks.perf.endpoint import endpoint

RATE = 200.0
STREAMS = (64, 512)
STALL_MS = 1_500.0
# Every so manieth stream stalls.
STALLING = 8
TEXT = "w" * 200
QUICK = f"openai-api/perf/test/fixed?stamp=1&ttft_ms=100&gap_ms=10&chunks=16&text={TEXT}"
SLOW = f"openai-api/perf/test/fixed?stamp=1&ttft_ms=400&gap_ms=40&chunks=32&text={TEXT}"


@dataclass(slots=True)
class Stream:
    """What one reply's stamps say, and what the client measured."""

    is_stalling: bool
    stamps: list[bytes] = field(default_factory=list[bytes])
    completion: Completion | None = None

    def watch(self, data: bytes, at_s: float) -> None:
        del at_s
        if b'"content":"w' in data:
            self.stamps.append(data)

    def errors_ms(self) -> tuple[float, float]:
        """By how much the client's TTFT and longest gap are longer than the endpoint's."""
        assert self.completion is not None
        arrivals, timing = self.completion.arrivals, self.completion.timing
        assert arrivals is not None
        assert timing is not None
        assert timing.ttft_ms is not None
        assert timing.max_gap_ms is not None
        sent_ms = [orjson.loads(data)["assay"]["sent_at_ns"] / 1e6 for data in self.stamps]
        gap_ms = max(later - earlier for earlier, later in pairwise(sent_ms))
        return timing.ttft_ms - (sent_ms[0] - arrivals.started_s * 1000), timing.max_gap_ms - gap_ms

    @property
    def found_stall(self) -> bool:
        assert self.completion is not None
        assert self.completion.timing is not None
        return (self.completion.timing.max_gap_ms or 0.0) > STALL_MS / 1.5


class WatchedModel:
    """The one client, which shows each reply's raw events to an observer of its own."""

    def __init__(self, name: str, base_url: str, *, plants_stalls: bool) -> None:
        provider, self._name = provider_for(name, {}, base_url=base_url)
        self._model = name
        self._plants_stalls = plants_stalls
        limits = ClientLimits()
        session = SharedSession(limits, {})
        self._endpoint = Endpoint(provider, session, limits)
        self.streams: list[Stream] = []

    @property
    def model(self) -> str:
        return self._model

    @property
    def endpoint(self) -> str:
        return self._endpoint.shown_url

    async def complete(self, request: Request) -> Completion:
        stream = Stream(self._plants_stalls and request.sample % STALLING == 0)
        name = f"{self._name}&stall_after=9&stall_ms={STALL_MS:g}" if stream.is_stalling else self._name
        options = ClientOptions(observer=stream.watch)
        client = HttpModelClient(self._model, name, self._endpoint, options=options)
        stream.completion = await client.complete(request)
        self.streams.append(stream)
        return stream.completion

    async def check(self, needs: frozenset[Need] = frozenset()) -> None: ...

    async def price(self) -> Price | None:
        return None

    async def close(self) -> None:
        self._endpoint.session.leave()


async def tested(spec: LoadSpec, base_url: str, *, plants_stalls: bool) -> tuple[LoadTest, list[Stream]]:
    client = WatchedModel(spec.model, base_url, plants_stalls=plants_stalls)
    run = LoadRun(spec, client, SystemClock(), Requests(spec))
    await run.execute()
    await client.close()
    # Those of the warm-up come first.
    return run.result(), client.streams[spec.warm_up :]


def shown(values: Sequence[float]) -> str:
    found = percentile_summary(values)
    return f"p50 {found['p50']:.2f} ms, p99 {found['p99']:.2f} ms, max {found['max']:.2f} ms"


async def schedule(base_url: str, seconds: float) -> None:
    spec = LoadSpec(QUICK, "open", (Stage(RATE, RATE),), stage_s=seconds, prompt_tokens="64")
    test, streams = await tested(spec, base_url, plants_stalls=False)
    [level] = test.levels
    sent = level.lag.send_ms
    print(f"{RATE:g} requests/s for {seconds:g} s: {level.answered:,} of {level.due:,} answered")
    print(f"  sent after due: p50 {sent['p50']:.2f} ms, p99 {sent['p99']:.2f} ms, max {sent['max']:.2f} ms")
    print(f"  event loop late: p99 {level.lag.loop_ms['p99']:.2f} ms; marked: {bool(level.distortions)}")
    print(f"  TTFT error: {shown([one.errors_ms()[0] for one in streams])}")


async def truth(base_url: str, streams: int, seconds: float) -> None:
    spec = LoadSpec(SLOW, "closed", (Stage(streams, streams),), stage_s=seconds, prompt_tokens="64")
    test, found = await tested(spec, base_url, plants_stalls=True)
    [level] = test.levels
    errors = [one.errors_ms() for one in found]
    planted = [one for one in found if one.is_stalling]
    missed = sum(not one.found_stall for one in planted)
    false = sum(one.found_stall for one in found if not one.is_stalling)
    print(f"{streams} streams at once: {len(found):,} replies")
    print(f"  TTFT error:    {shown([ttft for ttft, _ in errors])}")
    print(f"  max-gap error: {shown([abs(gap) for _, gap in errors])}")
    print(
        f"  stalls: {len(planted)} planted, {missed} missed, {false} false; the report says {level.stalled}"
    )
    print(f"  event loop late: p99 {level.lag.loop_ms['p99']:.2f} ms; marked: {bool(level.distortions)}")


async def measure(base_url: str, *, repeats: int, seconds: float) -> None:
    for number in range(repeats):
        print(f"repeat {number + 1} of {repeats}")
        await schedule(base_url, seconds)
        for streams in STREAMS:
            await truth(base_url, streams, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    with endpoint("") as base_url:
        uvloop.run(measure(base_url, repeats=options.repeats, seconds=options.seconds))


if __name__ == "__main__":
    main()
