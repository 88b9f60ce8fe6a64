"""How quickly the API answers while the same process works in 16 containers.

    python -m benchmarks.perf.containers [--seconds 20]

Starts a Docker daemon of its own and `assay up`, fills a page of runs, and asks for `GET /api/runs` some
fifty times a second: of the idle service, while trials of the demo tasks of terminal_bench_hard go on in 16
containers side by side, and while a program in each of them wants a processor for itself. The 99th
percentiles must stay below 100 ms. Needs root and docker.io. Whatever else the machine does counts as well:
the idle figure shows it.
"""

import argparse
import asyncio
import contextlib
import sys
import time
from collections.abc import Mapping

import aiohttp

from assay.adapters.sandbox.docker.engine_api import EngineApi
from assay.domain.calls.messages import Json
from assay.domain.errors import SandboxError
from benchmarks.perf.responsive import answered, idle, p99, service, shown, start_run
from tests.docker_engine import missing, running_engine

CONTAINERS = 16
LIMIT_MS = 100.0
# Each reply takes so long, as that of a model does.
_MODEL = "sim/oracle?delay_ms=300"
_LISTED_RUNS = 50
_RAMP_UP_S = 300.0
_ENOUGH = 0.75
_BUSY: list[Json] = ["timeout", "60", "python3", "-c", "while True: pass"]


async def running(api: EngineApi) -> list[str]:
    listed = (await api.call("GET", "/containers/json")).get("items")
    return [str(one["Id"]) for one in listed if isinstance(one, Mapping)] if isinstance(listed, list) else []


async def measure(address: str, socket_path: str, seconds: float) -> dict[str, list[float]]:
    """Milliseconds of each answer, by what goes on meanwhile."""
    timeout = aiohttp.ClientTimeout(total=60)
    async with aiohttp.ClientSession(address, timeout=timeout) as client, EngineApi(socket_path) as api:
        for _ in range(_LISTED_RUNS):
            await start_run(client, "sim/good", samples=1)
        await idle(client)
        idle_ms = await answered(client, seconds)
        await start_run(
            client, _MODEL, samples=200, benchmark="terminal_bench_hard", max_connections=CONTAINERS
        )
        deadline = time.monotonic() + _RAMP_UP_S
        while len(await running(api)) < CONTAINERS:
            assert time.monotonic() < deadline, f"never had {CONTAINERS} containers"
            await asyncio.sleep(0.2)
        trials_ms = await _beside(client, api, seconds, is_busy=False)
        busy_ms = await _beside(client, api, seconds, is_busy=True)
        return {
            "idle": idle_ms,
            f"{CONTAINERS} containers": trials_ms,
            f"{CONTAINERS} busy containers": busy_ms,
        }


async def _beside(
    client: aiohttp.ClientSession, api: EngineApi, seconds: float, *, is_busy: bool
) -> list[float]:
    counts: list[int] = []
    watching = asyncio.create_task(_watch(api, counts, is_busy=is_busy))
    try:
        times_ms = await answered(client, seconds)
    finally:
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
    mean = sum(counts) / len(counts)
    assert mean >= CONTAINERS * _ENOUGH, f"{mean:.1f} containers are too few for the figure to say anything"
    return times_ms


async def _watch(api: EngineApi, counts: list[int], *, is_busy: bool) -> None:
    """Count the containers, and keep a program busy in each."""
    busy: set[str] = set()
    while True:
        found = await running(api)
        counts.append(len(found))
        for container in found if is_busy else ():
            if container not in busy:
                busy.add(container)
                await _keep_busy(api, container)
        await asyncio.sleep(0.5)


async def _keep_busy(api: EngineApi, container: str) -> None:
    # The container may have ended since it was listed.
    with contextlib.suppress(SandboxError):
        made = await api.call("POST", f"/containers/{container}/exec", body={"Cmd": _BUSY})
        await api.call("POST", f"/exec/{made['Id']}/start", body={"Detach": True})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    seconds: float = parser.parse_args().seconds
    reason = missing()
    if reason is not None:
        sys.exit(reason)
    with running_engine() as engine:
        variables = {
            "DOCKER_HOST": f"unix://{engine.socket_path}",
            "ASSAY_CONTAINER_SLOTS": str(CONTAINERS),
        }
        with service(variables) as address:
            found = asyncio.run(measure(address, engine.socket_path, seconds))
    for name, times_ms in found.items():
        print(f"GET /api/runs, {name}: {shown(times_ms)}")
    if any(p99(times_ms) >= LIMIT_MS for times_ms in found.values()):
        sys.exit(f"p99 must be below {LIMIT_MS:g} ms")


if __name__ == "__main__":
    main()
