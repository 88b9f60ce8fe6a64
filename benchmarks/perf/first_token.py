"""Error of the measured time to the first token, against the clock of the endpoint that sent it.

    python -m benchmarks.perf.first_token [--streams 256] [--rounds 4]

The endpoint stamps each chunk with the moment it sent it; both processes read the same monotonic clock. The
error is how much later the client says the first chunk came.
"""

import argparse
import asyncio
import statistics

import orjson
import uvloop

from assay.adapters.models.client import ClientOptions
from assay.adapters.models.directory import HttpModelDirectory
from assay.domain.calls.messages import Generation, Prompt
from assay.engine.ports import ModelClient, Request
from benchmarks.perf.endpoint import endpoint

MARK = "FIRST"
MODEL = f"openai-api/perf/test/fixed?stamp=1&ttft_ms=400&gap_ms=25&chunks=32&text={MARK}{'w' * 200}"


class FirstChunks:
    """Remembers, for each reply, when its first content was sent and when it was read."""

    def __init__(self) -> None:
        self.errors_ms: list[float] = []

    def watch(self, data: bytes, at_s: float) -> None:
        if b'"content":"' + MARK.encode() not in data:
            return
        self.errors_ms.append(at_s * 1000 - orjson.loads(data)["assay"]["sent_at_ns"] / 1e6)


async def measure(base_url: str, *, streams: int, rounds: int) -> None:
    first = FirstChunks()
    directory = HttpModelDirectory({}, options=ClientOptions(observer=first.watch))
    client = directory.open(MODEL, base_url=base_url)
    for number in range(rounds):
        await asyncio.gather(*(one_stream(client, number, stream, streams) for stream in range(streams)))
    await client.close()
    ordered = sorted(first.errors_ms)
    assert len(ordered) == streams * rounds, len(ordered)
    p50, p99 = statistics.median(ordered), ordered[int(0.99 * len(ordered))]
    print(f"{streams} streams: p50 {p50:.2f} ms, p99 {p99:.2f} ms, max {ordered[-1]:.2f} ms")


async def one_stream(client: ModelClient, number: int, stream: int, streams: int) -> None:
    # Spread over one gap between chunks, as calls that start by themselves would be.
    await asyncio.sleep(0.4 * stream / streams)
    await client.complete(Request(Prompt.of_user(f"{number} {stream}"), Generation()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=256)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    with endpoint("") as base_url:
        uvloop.run(measure(base_url, streams=options.streams, rounds=options.rounds))


if __name__ == "__main__":
    main()
