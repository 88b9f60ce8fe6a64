"""A program that tries the most likely escapes, and reports which succeeded."""

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from assay.adapters.sandbox.local.launch import ENVIRONMENT
from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import SandboxSession, Status

# Variables that shells and interpreters set by themselves.
_SHELLS = {"PWD", "SHLVL", "_", "LC_CTYPE", "OLDPWD", "__CF_USER_TEXT_ENCODING"}
_PROGRAM = r"""
import hashlib, json, os, socket, sys
host = json.load(sys.stdin)
escapes = []

def attempt(name, way):
    try:
        if way():
            escapes.append(name)
    except (OSError, AttributeError):
        pass

def writable(path):
    os.close(os.open(path, os.O_WRONLY))
    return True

def vsock():
    socket.socket(40, socket.SOCK_STREAM).close()
    return True

def loopback():
    socket.create_connection(("127.0.0.1", host["port"]), timeout=1).close()
    return True

def service():
    # Another process has this number where the sandbox counts its own.
    with open("/proc/%d/environ" % host["pid"], "rb") as file:
        return hashlib.sha256(file.read()).hexdigest() == host["environment"]

attempt("reads /etc/shadow", lambda: open("/etc/shadow").read())
attempt("writes to /usr", lambda: os.close(os.open("/usr/assay-probe", os.O_CREAT | os.O_WRONLY)) is None)
attempt("sets where the kernel sends core dumps", lambda: writable("/proc/sys/kernel/core_pattern"))
attempt("opens an AF_VSOCK socket", vsock)
attempt("reaches the host's loopback", loopback)
attempt("reads the service's environment", service)
attempt("has the service's variables", lambda: set(os.environ) & set(host["variables"]))
print(json.dumps(escapes))
"""


@asynccontextmanager
async def _listening() -> AsyncGenerator[int]:
    async def close(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(close, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def _own_environment() -> str | None:
    """Digest of what another process would read of it; None where the system shows it to nobody."""
    try:
        return hashlib.sha256(Path("/proc/self/environ").read_bytes()).hexdigest()
    except OSError:
        return None


async def escapes(session: SandboxSession, *, given: frozenset[str] = frozenset()) -> list[str]:
    """Things that a program in the session can do but must not; raises SandboxError if it does not run."""
    done = await session.exec(["/bin/true"])
    if done.status is not Status.OK:
        said = done.stderr.decode(errors="replace")
        raise SandboxError(f"/bin/true ended with {done.status.value}: {said}")
    async with _listening() as port:
        variables = set(os.environ) - set(ENVIRONMENT) - _SHELLS - given
        host = {
            "port": port,
            "pid": os.getpid(),
            "environment": _own_environment(),
            "variables": sorted(variables),
        }
        results = [one async for one in session.exec_many(_PROGRAM, [json.dumps(host).encode()])]
    if results[0].status is not Status.OK:
        said = results[0].stderr.decode(errors="replace").strip()
        raise SandboxError(f"the probing program ended with {results[0].status.value}: {said[-300:]}")
    found: list[str] = json.loads(results[0].stdout)
    return found
