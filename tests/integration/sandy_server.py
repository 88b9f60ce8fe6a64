"""A sandbox service that speaks Sandy's protocol and really runs the commands, in bubblewrap.

Started by the tests as a process; prints its port. `POST /faults` makes the next calls of a kind fail: with
a status, what an agent that is not ready says, or one of `_BROKEN` in place of an answer. With the path of an
engine's socket as argument, sandboxes that ask for it find it where Docker looks.
"""

import asyncio
import contextlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path
from uuid import uuid4

from aiohttp import web

KEY = "sandy-test-key-9f2e"
_BWRAP = (
    "bwrap --unshare-all --die-with-parent --new-session --proc /proc --dev /dev --clearenv"
    " --ro-bind /usr /usr --ro-bind /etc /etc --symlink usr/bin /bin --symlink usr/lib /lib"
    " --symlink usr/lib64 /lib64 --setenv PATH /usr/local/bin:/usr/bin:/bin --setenv HOME /tmp"
)
_ORDINARY = {"priority": 3, "preemptable": True}
_SILENT_S = 4
# The exit code after which the agent of the tests says nothing more.
_BROKEN_OFF = 77
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Service:
    def __init__(self, root: Path, socket_path: str | None) -> None:
        self._root = root
        self._socket_path = socket_path
        self.asked: list[dict[str, object]] = []
        self.calls: list[str] = []
        self.faults: dict[str, list[int | str]] = {}

    def app(self) -> web.Application:
        app = web.Application(client_max_size=256 * 2**20, middlewares=[self._guarded])
        app.add_routes(
            [
                web.post("/faults", self._plan_faults),
                web.get("/calls", self._tell_calls),
                web.get("/asked", self._tell_asked),
                web.get("/running", self._tell_running),
                web.post("/api/sandboxes/{id}/agent/run", self._run_agent),
                web.post("/api/sandboxes", self._create),
                web.post("/api/sandboxes/{id}/exec", self._exec),
                web.post("/api/sandboxes/{id}/files/write", self._write),
                web.post("/api/sandboxes/{id}/terminate", self._terminate),
            ]
        )
        return app

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        if not request.path.startswith("/api/"):
            return await handler(request)
        kind = request.path.rsplit("/", 1)[-1]
        self.calls.append(kind)
        planned = self.faults.get(kind, [])
        if request.headers.get("Authorization") != f"Bearer {KEY}":
            return web.json_response(
                {"error": f"wrong key {request.headers.get('Authorization')}"}, status=401
            )
        return await (_broken(planned.pop(0), request, handler) if planned else handler(request))

    async def _plan_faults(self, request: web.Request) -> web.Response:
        self.faults = await request.json()
        self.calls.clear()
        return web.json_response({})

    async def _tell_calls(self, request: web.Request) -> web.Response:
        del request
        return web.json_response(self.calls)

    async def _tell_asked(self, request: web.Request) -> web.Response:
        del request
        return web.json_response(self.asked)

    async def _tell_running(self, request: web.Request) -> web.Response:
        del request
        return web.json_response([one.name for one in self._root.iterdir()])

    async def _create(self, request: web.Request) -> web.Response:
        asked = await request.json()
        self.asked.append(asked)
        if {"priority": asked.pop("priority"), "preemptable": asked.pop("preemptable")} != _ORDINARY:
            return web.json_response({"error": "unexpected priority"}, status=400)
        if not asked.keys() <= {"enableDockerSocket", "upstream", "timeoutMinutes"}:
            return web.json_response({"error": f"unexpected {sorted(asked)}"}, status=400)
        name = uuid4().hex
        if asked.get("enableDockerSocket"):
            (self._root / name / "docker").mkdir(parents=True)
        for folder in ("tmp", "workspace"):
            (self._root / name / folder).mkdir(parents=True)
        return web.json_response({"sandboxId": name})

    async def _exec(self, request: web.Request) -> web.Response:
        folder = self._folder(request)
        asked = await request.json()
        argv = [*_BWRAP.split(), "--bind", str(folder / "tmp"), "/tmp", "--bind", str(folder / "workspace")]  # noqa: S108
        argv += ["/workspace"]
        if self._socket_path is not None and (folder / "docker").exists():
            argv += ["--bind", self._socket_path, "/var/run/docker.sock"]
        argv += ["--chdir", asked["cwd"], "/bin/sh", "-c", asked["command"]]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
        )
        try:
            stdout, stderr = await asyncio.wait_for(process.communicate(), asked["timeoutMs"] / 1000)
        except TimeoutError:
            process.kill()
            await process.wait()
            return web.json_response({"error": "timed out"}, status=408)
        answer = {"stdout": stdout.decode(errors="replace"), "stderr": stderr.decode(errors="replace")}
        return web.json_response({**answer, "exitCode": process.returncode})

    async def _write(self, request: web.Request) -> web.Response:
        folder = self._folder(request)
        asked = await request.json()
        (folder / asked["path"].lstrip("/")).write_text(asked["content"], encoding="utf-8")
        return web.json_response({"ok": True})

    async def _run_agent(self, request: web.Request) -> web.StreamResponse:
        """Its only agent runs the prompt in a shell and tells each line of its output."""
        folder = self._folder(request)
        asked = await request.json()
        if asked.keys() != {"agent", "model", "prompt", "maxDuration"} or asked["agent"] != "shell":
            return web.json_response({"error": f"no agent {asked.get('agent')!r}"}, status=400)
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        await response.prepare(request)
        process = await asyncio.create_subprocess_shell(
            asked["prompt"], cwd=folder / "workspace", stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        async for line in process.stdout:
            await response.write(json.dumps({"type": "output", "text": line.decode()}).encode() + b"\n")
        code = await process.wait()
        if code != _BROKEN_OFF:
            await response.write(b'data: {"type": "complete", "exitCode": %d}\n\n' % code)
        return response

    async def _terminate(self, request: web.Request) -> web.Response:
        shutil.rmtree(self._folder(request))
        return web.json_response({"ok": True})

    def _folder(self, request: web.Request) -> Path:
        folder = self._root / request.match_info["id"]
        if not folder.is_dir():
            raise web.HTTPNotFound(text=json.dumps({"error": "no such sandbox"}))
        return folder


async def _broken(fault: int | str, request: web.Request, handler: Handler) -> web.StreamResponse:
    if isinstance(fault, int):
        return web.json_response({"error": "the service is busy"}, status=fault)
    if fault in _BROKEN:
        return await _BROKEN[fault](request)
    if fault == "done, then 502":
        await handler(request)
        return web.json_response({"error": "the answer was lost"}, status=502)
    return web.json_response({"stdout": "", "stderr": fault, "exitCode": 1})


async def _silence(request: web.Request) -> web.StreamResponse:
    await asyncio.sleep(_SILENT_S)
    return web.json_response({})


async def _garbage(request: web.Request) -> web.StreamResponse:
    return web.Response(text='{"stdout": "cut o')


async def _flood(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse()
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):
        while True:
            await response.write(b" " * (1 << 20))
    return response


_BROKEN: dict[str, Handler] = {"silence": _silence, "garbage": _garbage, "flood": _flood}


@contextlib.contextmanager
def running_service(socket_path: str | None = None) -> Generator[str]:
    """The service as a process of its own; gives its address."""
    arguments = [] if socket_path is None else [socket_path]
    with subprocess.Popen(
        [sys.executable, __file__, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        assert process.stdin is not None
        process.stdin.close()


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        runner = web.AppRunner(Service(Path(folder), *sys.argv[1:2] or [None]).app(), access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        _, port = runner.addresses[0]
        sys.stdout.write(f"{port}\n")
        sys.stdout.flush()
        # Ends with whoever started it.
        await asyncio.to_thread(sys.stdin.read)
        await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
