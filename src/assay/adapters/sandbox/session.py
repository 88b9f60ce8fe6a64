"""A session in a slot of this machine."""

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import asdict

from assay.adapters.sandbox.local.frames import Frame
from assay.adapters.sandbox.local.messages import Ended, Put
from assay.adapters.sandbox.open_session import OpenSession
from assay.adapters.sandbox.supervisor import Supervisor
from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import MIB, WORKSPACE, Confinement, ExecResult, Limits, Spec, Status

# Enough to keep the supervisor busy, and few enough that little is wasted if the caller stops early.
_AHEAD = 2
_ANSWERING_S = 150.0


class LocalSession(OpenSession):
    def __init__(
        self,
        supervisor: Supervisor,
        spec: Spec,
        confinement: Confinement,
        *,
        give_back: Callable[[Supervisor], None],
    ) -> None:
        super().__init__(confinement, on_close=lambda: give_back(supervisor))
        self._supervisor = supervisor
        self._spec = spec

    async def put(self, files: Mapping[str, bytes]) -> None:
        order = Put(files=[(name, len(content)) for name, content in files.items()])
        await self._live().ask("put", order, b"".join(files.values()))

    async def exec(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> ExecResult:
        chosen = limits or self._spec.limits
        order = {
            "argv": list(argv),
            "cwd": cwd or WORKSPACE,
            "env": dict(env or {}),
            "limits": asdict(chosen),
        }
        return self._result(await self._live().ask("exec", order, stdin, wait_s=chosen.wall_s))

    async def exec_many(
        self, source: str, cases: Sequence[bytes], *, limits: Limits | None = None
    ) -> AsyncGenerator[ExecResult]:
        supervisor = self._live()
        chosen = limits or self._spec.limits
        order = {"limits": asdict(chosen)}
        await supervisor.ask("program", body=source.encode())
        sent = 0
        try:
            for position in range(len(cases)):
                while sent < len(cases) and sent - position < _AHEAD:
                    supervisor.send("case", order, cases[sent])
                    sent += 1
                yield self._result(await supervisor.receive(timeout_s=_ANSWERING_S + _AHEAD * chosen.wall_s))
        finally:
            if not supervisor.is_broken:
                await supervisor.settle()

    async def get(
        self, patterns: Sequence[str], *, max_files: int = 1000, max_bytes: int = 64 * MIB
    ) -> dict[str, bytes]:
        order = {"patterns": list(patterns), "max_files": max_files, "max_bytes": max_bytes}
        frame = await self._live().ask("get", order)
        listed: Put = json.loads(frame.text)
        files: dict[str, bytes] = {}
        start = 0
        for name, size in listed["files"]:
            files[name] = frame.body[start : start + size]
            start += size
        return files

    async def _end(self) -> None:
        if not self._supervisor.is_broken:
            await self._supervisor.settle()

    def _live(self) -> Supervisor:
        self._require_open()
        return self._supervisor

    def _result(self, frame: Frame) -> ExecResult:
        if frame.name != "ended":
            raise SandboxError(f"the sandbox answered {frame.name!r} instead of a result")
        ended: Ended = json.loads(frame.text)
        split = ended["stdout_bytes"]
        return ExecResult(
            status=Status(ended["status"]),
            exit_code=ended["exit_code"],
            signal=ended["signal"],
            stdout=frame.body[:split],
            stderr=frame.body[split:],
            truncated=ended["truncated"],
            cpu_s=ended["cpu_s"],
            wall_s=ended["wall_s"],
            peak_bytes=ended["peak_bytes"],
            confinement=self._confinement,
        )
