"""How quickly the API answers while the same process has 256 attempts in flight.

    python -m benchmarks.perf.responsive [--seconds 15]

Starts `assay up` and a test endpoint, fills a page of runs, starts a large run, and asks for `GET /api/runs`
fifty times a second for as long as the attempts are in flight. The 99th percentile must stay below 50 ms.
"""

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager

import aiohttp

from benchmarks.perf.endpoint import endpoint

IN_FLIGHT = 256
LIMIT_MS = 50.0
BEHAVIOUR = "chunks=32&gap_ms=20"
# Were all equally slow, all replies would end in the same moment, which no real endpoint does.
FIRST_TOKEN_MS = (400, 570, 730, 910, 1090, 1270, 1430, 1600)
_EVERY_S = 0.02
_LISTED_RUNS = 50
_RAMP_UP_S = 60.0


@contextmanager
def service(settings: Mapping[str, str] | None = None) -> Generator[str]:
    """`assay up` on a free port, with a data folder of its own; gives its address."""
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "assay", "up", "--port", "0"]
        # Shards have 20 to 200 attempts each: enough of them to have all connections in use.
        variables = os.environ | {"ASSAY_HOME": home, "WORKER_MAX_CONCURRENT": "16", **(settings or {})}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=variables) as process:
            assert process.stdout is not None
            found = re.search(r"http://[^/]+", process.stdout.readline())
            assert found, "the service did not start"
            try:
                yield found[0]
            finally:
                process.terminate()


async def start_run(
    client: aiohttp.ClientSession,
    *models: str,
    samples: int,
    benchmark: str = "mmlu_pro",
    **config: object,
) -> None:
    body = {
        "models": models,
        "selected_benchmarks": [benchmark],
        "samples": samples,
        "config": {"data": "demo"} | config,
    }
    async with client.post("/api/runs", json=body) as response:
        assert response.ok, await response.text()


async def in_flight(client: aiohttp.ClientSession, base_url: str) -> int:
    async with client.get(f"{base_url.removesuffix('/v1')}/sim/stats") as response:
        return (await response.json())["in_flight"]


async def answered(client: aiohttp.ClientSession, seconds: float) -> list[float]:
    """Milliseconds of each answer to `GET /api/runs`."""
    times_ms: list[float] = []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.perf_counter()
        async with client.get("/api/runs") as response:
            await response.read()
            assert response.ok
        times_ms.append((time.perf_counter() - began) * 1000)
        await asyncio.sleep(_EVERY_S)
    return times_ms


async def idle(client: aiohttp.ClientSession) -> None:
    while True:
        async with client.get("/api/status") as response:
            if (await response.json())["idle"]:
                return
        await asyncio.sleep(0.2)


async def measure(address: str, base_url: str, seconds: float) -> tuple[list[float], list[float]]:
    """Milliseconds of each answer, of an idle service and under load."""
    timeout = aiohttp.ClientTimeout(total=30)
    async with aiohttp.ClientSession(address, timeout=timeout) as client:
        for _ in range(_LISTED_RUNS):
            await start_run(client, "sim/good", samples=1)
        await idle(client)
        idle_ms = await answered(client, seconds / 3)
        models = [f"vllm/test/letter?ttft_ms={first}" for first in FIRST_TOKEN_MS]
        samples = int(IN_FLIGHT / len(models) * (seconds + _RAMP_UP_S) / 42)
        await start_run(client, *models, samples=samples, max_connections=IN_FLIGHT, base_url=base_url)
        deadline = time.monotonic() + _RAMP_UP_S
        while await in_flight(client, base_url) < IN_FLIGHT - 8:
            assert time.monotonic() < deadline, f"never had {IN_FLIGHT} attempts in flight"
            await asyncio.sleep(0.2)
        times_ms = await answered(client, seconds)
        still = await in_flight(client, base_url)
        assert still > IN_FLIGHT / 2, f"only {still} attempts were in flight at the end"
        return idle_ms, times_ms


def shown(times_ms: list[float]) -> str:
    return (
        f"{len(times_ms)} requests, p50 {statistics.median(times_ms):.1f} ms,"
        f" p99 {p99(times_ms):.1f} ms, max {max(times_ms):.1f} ms"
    )


def p99(times_ms: list[float]) -> float:
    return statistics.quantiles(times_ms, n=100)[98]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=15.0)
    seconds: float = parser.parse_args().seconds
    with endpoint(BEHAVIOUR) as base_url, service() as address:
        idle_ms, times_ms = asyncio.run(measure(address, base_url, seconds))
    print(f"GET /api/runs of an idle service: {shown(idle_ms)}")
    print(f"with {IN_FLIGHT} attempts in flight: {shown(times_ms)}")
    if p99(times_ms) >= LIMIT_MS:
        sys.exit(f"p99 must be below {LIMIT_MS:g} ms")


if __name__ == "__main__":
    main()
