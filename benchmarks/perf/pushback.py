"""How much of an endpoint's capacity is used while it refuses calls with status 429.

    python -m benchmarks.perf.pushback [--seconds 15]

Prints, for refusals at random, for a true limit of calls in flight, for one that falls and rises, and for a
window of calls per minute, the rates of Assay, of a client that backs off each refused call by itself, and
what the endpoint could have served. The endpoint answers after 0.2 s, in a process of its own.
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import random
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

import aiohttp
import orjson
import uvloop
from aiohttp import web

from benchmarks.perf.endpoint import CONNECTIONS
from benchmarks.perf.throughput import assay_rate, write_rows

LATENCY_S = 0.2
CAPACITY = 20
LOW_CAPACITY = 8
RETRY_AFTER_S = 30
HIGHEST_RATE = CONNECTIONS / LATENCY_S
REPLY: Mapping[str, object] = {
    "id": "1",
    "object": "chat.completion",
    "created": 0,
    "model": "test/letter",
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "A"}, "finish_reason": "stop"},
    ],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
}


@dataclass
class PushingBack:
    """An endpoint whose limits can be set while it runs."""

    share: float = 0.0
    capacity: int = 10**6
    retry_after: str = ""
    closed_until: float = 0.0
    in_flight: int = 0
    answered: list[float] = field(default_factory=list[float])
    refused: list[float] = field(default_factory=list[float])

    async def complete(self, request: web.Request) -> web.Response:
        await request.read()
        now = time.monotonic()
        if self.in_flight >= self.capacity or now < self.closed_until or random.random() < self.share:  # noqa: S311
            self.refused.append(now)
            headers = {"Retry-After": self.retry_after} if self.retry_after else {}
            return web.json_response({"error": {"message": "too many requests"}}, status=429, headers=headers)
        self.in_flight += 1
        try:
            await asyncio.sleep(LATENCY_S)
        finally:
            self.in_flight -= 1
        self.answered.append(time.monotonic())
        return web.json_response(REPLY)

    async def models(self, _request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "test/letter", "object": "model"}]})

    async def set(self, request: web.Request) -> web.Response:
        """Take new limits, forget the figures; gives those of the time before."""
        found = {"answered": self.answered, "refused": self.refused}
        for name, value in (await request.json()).items():
            setattr(self, name, value)
        self.answered, self.refused = [], []
        return web.json_response(found)


def serve(ready: Connection) -> None:
    async def run() -> None:
        state, app = PushingBack(), web.Application(client_max_size=2**24)
        app.add_routes(
            [
                web.post("/v1/chat/completions", state.complete),
                web.get("/v1/models", state.models),
                web.post("/limits", state.set),
            ]
        )
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        ready.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    uvloop.run(run())


@contextlib.asynccontextmanager
async def endpoint() -> AsyncGenerator[str]:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(there,), daemon=True)
    process.start()
    try:
        yield f"http://127.0.0.1:{await asyncio.to_thread(here.recv)}"
    finally:
        process.terminate()


async def set_limits(url: str, **limits: object) -> tuple[list[float], list[float]]:
    """When calls were answered and refused since the limits were last set."""
    async with aiohttp.ClientSession() as session, session.post(f"{url}/limits", json=limits) as reply:
        found = await reply.json()
        return found["answered"], found["refused"]


async def backing_off_rate(url: str, attempts: int) -> float:
    """The rate of a client that delays only the refused call: by 1 s doubled to 30 s, or by Retry-After."""
    left = iter(range(attempts))
    body = orjson.dumps({"model": "test/letter", "messages": [{"role": "user", "content": "Say A."}]})

    async def work(session: aiohttp.ClientSession) -> None:
        for _ in left:
            tries = 0
            while True:
                async with session.post(f"{url}/v1/chat/completions", data=body) as reply:
                    await reply.read()
                    if reply.ok:
                        break
                    told = reply.headers.get("Retry-After")
                tries += 1
                delay_s = float(told) if told else min(30.0, 2.0 ** (tries - 1))
                await asyncio.sleep(delay_s * random.uniform(1, 1.25))  # noqa: S311

    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector) as session:
        began = time.perf_counter()
        await asyncio.gather(*(work(session) for _ in range(CONNECTIONS)))
        return attempts / (time.perf_counter() - began)


async def our_rate(url: str, attempts: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        rows = Path(name) / "test.jsonl"
        write_rows(rows, attempts)
        return await assay_rate(f"{url}/v1", rows, Path(name), stream=False)


def rate_in(times: list[float], since: float, until: float) -> float:
    return sum(since <= at < until for at in times) / (until - since)


async def steady(url: str, name: str, highest: float, seconds: float, **limits: object) -> float:
    """Gives our rate over the whole run; calls are counted as refused after its first third."""
    attempts = int(highest * seconds)
    await set_limits(url, **limits)
    peer = await backing_off_rate(url, attempts)
    await set_limits(url, **limits)
    ours = await our_rate(url, attempts)
    answered, refused = await set_limits(url, share=0.0, capacity=10**6, retry_after="")
    settled = answered[0] + seconds / 3
    late = sum(at > settled for at in refused)
    wasted = late / max(1, late + sum(at > settled for at in answered))
    print(
        f"{name:32} capacity {highest:4.0f}/s   back-off per call {peer:4.0f}/s   assay {ours:4.0f}/s"
        f" = {ours / highest:.2f} of the capacity, {ours / peer:.2f} of the peer; {wasted:.1%} refused"
    )
    return ours


async def changing(url: str) -> None:
    """How long it takes to find a limit that falls and rises again."""
    await set_limits(url)
    run = asyncio.create_task(our_rate(url, int(HIGHEST_RATE * 25)))
    await asyncio.sleep(8)
    for capacity in (LOW_CAPACITY, CONNECTIONS):
        await set_limits(url, capacity=capacity)
        changed = time.monotonic()
        await asyncio.sleep(12)
        answered, refused = await set_limits(url)
        found = next(
            (
                step / 4
                for step in range(1, 44)
                if rate_in(answered, changed + step / 4, changed + step / 4 + 1) >= 0.9 * capacity / LATENCY_S
                and rate_in(refused, changed + step / 4, changed + step / 4 + 1) <= 0.1 * capacity / LATENCY_S
            ),
            None,
        )
        print(f"limit changed to {capacity:2} in flight: found after {found} s")
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)


async def closed_window(url: str) -> None:
    """Calls that arrive while all are refused with a long Retry-After."""
    await set_limits(url, retry_after=str(RETRY_AFTER_S))
    run = asyncio.create_task(our_rate(url, int(HIGHEST_RATE * 20)))
    await asyncio.sleep(8)
    closed_at = time.monotonic()
    await set_limits(url, closed_until=closed_at + RETRY_AFTER_S)
    await asyncio.sleep(RETRY_AFTER_S - 1)
    _answered, refused = await set_limits(url)
    await asyncio.sleep(8)
    answered, _refused = await set_limits(url, retry_after="")
    after = rate_in(answered, closed_at + RETRY_AFTER_S + 3, closed_at + RETRY_AFTER_S + 6)
    last_s = max(refused, default=closed_at) - closed_at
    print(
        f"calls per minute used up, Retry-After {RETRY_AFTER_S} s: {len(refused)} refused, the last after"
        f" {last_s:.2f} s; {after:.0f}/s after the wait"
    )
    run.cancel()
    await asyncio.gather(run, return_exceptions=True)


async def measure(seconds: float) -> None:
    async with endpoint() as url:
        undisturbed = await steady(url, "no refusals", HIGHEST_RATE, seconds)
        for share in (0.05, 0.2):
            name = f"{share:.0%} at random, Retry-After 1"
            rate = await steady(url, name, HIGHEST_RATE, seconds, share=share, retry_after="1")
            print(f"{name:32} assay {rate / undisturbed:.2f} of its rate without refusals")
        await steady(url, f"at most {CAPACITY} in flight", CAPACITY / LATENCY_S, seconds, capacity=CAPACITY)
        await changing(url)
        await closed_window(url)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=15.0)
    uvloop.run(measure(parser.parse_args().seconds))


if __name__ == "__main__":
    main()
