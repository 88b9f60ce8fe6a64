"""A session in a sandbox of the remote service."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from uuid import uuid4

from assay.adapters.sandbox.archives import packed, unpacked
from assay.adapters.sandbox.open_session import CommandSession
from assay.adapters.sandbox.sandy.agents import AgentTask, AgentWork
from assay.adapters.sandbox.sandy.driving import Batch, RemoteSandbox
from assay.adapters.sandbox.sandy.service import SandyService
from assay.domain.programs.sandbox import MIB, WORKSPACE, Confinement, ExecResult, Limits, Spec

_MAX_BATCH_BYTES = 16 * MIB
_MAX_BATCH_CASES = 50


class SandySession(CommandSession):
    def __init__(
        self,
        service: SandyService,
        sandbox: str,
        *,
        spec: Spec,
        confinement: Confinement,
        on_close: Callable[[], None],
    ) -> None:
        super().__init__(spec, confinement, on_close=on_close)
        self._sandbox = RemoteSandbox(service, sandbox, confinement)

    async def prepare(self) -> None:
        await self._sandbox.prepare()
        await self._sandbox.shell(f"mkdir -p {WORKSPACE} && chmod 755 {WORKSPACE}")

    async def put(self, files: Mapping[str, bytes]) -> None:
        self._require_open()
        await self._sandbox.feed(packed(files, owner=0), f"tar -xf - --no-same-owner -C {WORKSPACE}")

    async def exec(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> ExecResult:
        self._require_open()
        environment = {**self._spec.env, **(env or {})}
        batch = Batch(
            argv, [stdin], limits or self._spec.limits, cwd or WORKSPACE, environment, is_case=False
        )
        return (await self._sandbox.run(batch))[0]

    async def exec_many(
        self, source: str, cases: Sequence[bytes], *, limits: Limits | None = None
    ) -> AsyncGenerator[ExecResult]:
        argv = await self._command_of(source)
        chosen = limits or self._spec.limits
        done = 0
        while done < len(cases):
            self._require_open()
            batch = Batch(argv, _next_cases(cases, done), chosen, "", self._spec.env, is_case=True)
            # The driver stops after a case that failed: the remaining cases go into the next batch.
            for result in await self._sandbox.run(batch):
                done += 1
                yield result

    async def get(
        self, patterns: Sequence[str], *, max_files: int = 1000, max_bytes: int = 64 * MIB
    ) -> dict[str, bytes]:
        self._require_open()
        name = f"/tmp/assay-{uuid4().hex}.tar"  # noqa: S108 # in the remote sandbox
        await self._sandbox.shell(f"tar -cf {name} -C {WORKSPACE}/.. {WORKSPACE.strip('/')}")
        archive = await self._sandbox.read(name)
        return unpacked(archive, patterns, max_files=max_files, max_bytes=max_bytes)

    async def run_agent(self, task: AgentTask) -> AgentWork:
        """Let an agent of the service work here, on the files of the workspace."""
        self._require_open()
        return await self._sandbox.run_agent(task)

    async def _end(self) -> None:
        await self._sandbox.terminate()


def _next_cases(cases: Sequence[bytes], start: int) -> list[bytes]:
    chosen: list[bytes] = []
    total = 0
    for case in cases[start : start + _MAX_BATCH_CASES]:
        total += len(case)
        if chosen and total > _MAX_BATCH_BYTES:
            break
        chosen.append(case)
    return chosen
