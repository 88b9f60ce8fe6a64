"""The test endpoint in a process of its own, and the load a bare client would put on it."""

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from itertools import count

import aiohttp
import orjson

CONNECTIONS = 64


def endpoint(behaviour: str) -> AbstractContextManager[str]:
    """`assay sim-server` on a free port; gives its base URL."""
    return _sim_server("--behaviour", behaviour)


@contextmanager
def hostile_endpoint() -> Generator[str]:
    """`assay sim-server --hostile` on a free port; gives the address, to which a kind and `/v1` are added."""
    with _sim_server("--hostile", "silent") as base_url:
        yield base_url.removesuffix("/silent/v1")


@contextmanager
def _sim_server(*options: str) -> Generator[str]:
    command = [sys.executable, "-m", "assay", "sim-server", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found, "the test endpoint did not start"
        try:
            yield found[0]
        finally:
            process.terminate()


async def bare_rate(base_url: str, prompts: list[str], *, total: int, stream: bool) -> float:
    """Replies per second of a plain aiohttp loop that reads and parses every reply, and does nothing else."""
    numbers = count()
    url = f"{base_url}/chat/completions"

    async def work(session: aiohttp.ClientSession) -> None:
        while (number := next(numbers)) < total:
            prompt = prompts[number % len(prompts)]
            messages = [{"role": "user", "content": prompt}]
            body = {"model": "test/letter", "messages": messages, "stream": stream}
            async with session.post(url, data=orjson.dumps(body)) as response:
                if stream:
                    async for line in response.content:
                        if line.startswith(b"data: {"):
                            orjson.loads(line[6:])
                else:
                    orjson.loads(await response.read())

    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector) as session:
        began = time.perf_counter()
        await asyncio.gather(*(work(session) for _ in range(CONNECTIONS)))
        return total / (time.perf_counter() - began)
