"""How much slower valid requests are while others send wrong access keys.

    python -m benchmarks.perf.wrong_keys [KEYS_PER_SECOND]

Starts `assay api` with a required login, and asks for the list of runs with a valid key, one request after
another, in turns without and beside a stream of wrong keys (1,000 per second by default, no two alike): from
one address, then from a new address for each connection. Prints the means and their ratio, against 2.
"""

import asyncio
import os
import secrets
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory

from assay.engine.identity.access_keys import KEY_PREFIX

MOST_RATIO = 2.0
_TURNS = 4
_TURN_S = 3.0
# The sender is on its way before the requests beside it begin.
_LEAD_S = 1.5
_CONNECTIONS = 50
# Then the connection is closed, and another opened: from elsewhere, where addresses change.
_OF_A_CONNECTION = 15
_ARGUMENTS_OF_USERS = 2
_COMMAND = Path(sys.executable).with_name("assay")


@contextmanager
def served(home: Path) -> Generator[tuple[int, str]]:
    """The port of an API, and a key that it accepts."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = os.environ | {"ASSAY_HOME": str(home), "ASSAY_REQUIRE_LOGIN": "true"}
    made = subprocess.run(
        [_COMMAND, "users", "add", "bench"], env=environment, capture_output=True, text=True, check=True
    )
    with subprocess.Popen(
        [_COMMAND, "api", "--port", str(port)], env=environment, stdout=subprocess.DEVNULL
    ) as process:
        try:
            _wait_for(port)
            yield port, made.stdout.split()[-1]
        finally:
            process.terminate()


def _wait_for(port: int) -> None:
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the API did not start")


async def send_wrong_keys(port: int, per_second: int, *, is_one_address: bool) -> None:
    """For some seconds; prints how many were answered in each second."""
    gap_s = _CONNECTIONS / per_second
    until = time.perf_counter() + _LEAD_S + _TURN_S
    senders = [
        _send(port, until, gap_s, is_one_address=is_one_address, first_s=place * gap_s / _CONNECTIONS)
        for place in range(_CONNECTIONS)
    ]
    answered = sum(await asyncio.gather(*senders))
    print(round(answered / (_LEAD_S + _TURN_S)))


async def _send(port: int, until: float, gap_s: float, *, is_one_address: bool, first_s: float) -> int:
    answered, due = 0, time.perf_counter() + first_s
    while time.perf_counter() < until:
        address = "127.0.0.1" if is_one_address else f"127.{_part()}.{_part()}.{_part()}"
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
        for _ in range(_OF_A_CONNECTION):
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            writer.write(_request())
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]))
            if head[9:12] not in {b"401", b"429"}:
                raise RuntimeError(f"a wrong key got {head[:40]!r}")
            answered, due = answered + 1, due + gap_s
            if time.perf_counter() > until:
                break
        writer.close()
    return answered


def _part() -> int:
    return secrets.randbelow(250) + 1


def _request() -> bytes:
    key = f"{KEY_PREFIX}{secrets.token_urlsafe(32)}"
    return f"GET /api/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: {key}\r\n\r\n".encode()


def valid_ms(port: int, key: str) -> list[float]:
    """How long each of the requests of one turn took."""
    connection, times_ms = HTTPConnection("127.0.0.1", port), list[float]()
    until = time.perf_counter() + _TURN_S
    while (began := time.perf_counter()) < until:
        connection.request("GET", "/api/runs", headers={"X-API-Key": key})
        response = connection.getresponse()
        response.read()
        if response.status != HTTPStatus.OK:
            raise RuntimeError(f"a valid key got {response.status}")
        times_ms.append(1000 * (time.perf_counter() - began))
    return times_ms


def ratio(port: int, key: str, per_second: int, *, is_one_address: bool) -> float:
    """The ratio of the means: a median leaves out the few requests that waited for a burst."""
    without, beside, sent = list[float](), list[float](), list[int]()
    place = "one" if is_one_address else "many"
    arguments = [sys.executable, "-m", "benchmarks.perf.wrong_keys", str(per_second), str(port), place]
    for _ in range(_TURNS):
        without += valid_ms(port, key)
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as sender:
            time.sleep(_LEAD_S)
            beside += valid_ms(port, key)
            sent.append(int(sender.communicate()[0]))
    found = statistics.fmean(beside) / statistics.fmean(without)
    print(
        f"{min(sent):,} to {max(sent):,} wrong keys/s from {place} address{'es' * (not is_one_address)}:"
        f" {statistics.fmean(without):.2f} ms for a valid request without,"
        f" {statistics.fmean(beside):.2f} ms beside them; ratio {found:.2f}, at most {MOST_RATIO:g}",
        flush=True,
    )
    return found


def main() -> int:
    if len(sys.argv) > _ARGUMENTS_OF_USERS:
        port, per_second = int(sys.argv[2]), int(sys.argv[1])
        asyncio.run(send_wrong_keys(port, per_second, is_one_address=sys.argv[3] == "one"))
        return 0
    per_second = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with TemporaryDirectory() as folder, served(Path(folder)) as (port, key):
        ratios = [ratio(port, key, per_second, is_one_address=one) for one in (True, False)]
    return int(max(ratios) > MOST_RATIO)


if __name__ == "__main__":
    sys.exit(main())
