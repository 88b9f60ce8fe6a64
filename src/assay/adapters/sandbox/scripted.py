"""A sandbox that runs nothing, for tests of graders and of failing sandboxes."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

from assay.adapters.sandbox.open_session import OpenSession
from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import (
    MIB,
    Confinement,
    ExecResult,
    Isolation,
    Limits,
    SandboxSession,
    Spec,
    Status,
)

Script = Callable[[str, bytes], bytes | SandboxError]
"""Returns the result of a program (its source, or its command joined by spaces) for an input."""


class ScriptedSession(OpenSession):
    def __init__(self, script: Script, confinement: Confinement) -> None:
        super().__init__(confinement, on_close=lambda: None)
        self._script = script
        self._files: dict[str, bytes] = {}

    async def put(self, files: Mapping[str, bytes]) -> None:
        self._files.update(files)

    async def exec(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: str | None = None,  # noqa: ARG002 # required by the port
        env: Mapping[str, str] | None = None,  # noqa: ARG002
        limits: Limits | None = None,  # noqa: ARG002
    ) -> ExecResult:
        return self._result(" ".join(argv), stdin)

    async def exec_many(
        self,
        source: str,
        cases: Sequence[bytes],
        *,
        limits: Limits | None = None,  # noqa: ARG002
    ) -> AsyncGenerator[ExecResult]:
        for case in cases:
            yield self._result(source, case)

    async def get(
        self,
        patterns: Sequence[str],
        *,
        max_files: int = 1000,
        max_bytes: int = 64 * MIB,  # noqa: ARG002
    ) -> dict[str, bytes]:
        found = {name: self._files[name] for name in patterns if name in self._files}
        return dict(list(found.items())[:max_files])

    async def _end(self) -> None:
        self._files.clear()

    def _result(self, program: str, stdin: bytes) -> ExecResult:
        answer = self._script(program, stdin)
        if isinstance(answer, SandboxError):
            raise answer
        return ExecResult(
            status=Status.OK,
            exit_code=0,
            signal=None,
            stdout=answer,
            stderr=b"",
            truncated=False,
            cpu_s=0.0,
            wall_s=0.0,
            peak_bytes=None,
            confinement=self._confinement,
        )


class ScriptedSandbox:
    def __init__(self, script: Script, *, isolation: Isolation = Isolation.NONE) -> None:
        self._script = script
        self._confinement = Confinement("scripted", isolation, frozenset())

    async def open(self, spec: Spec) -> SandboxSession:  # noqa: ARG002 # required by the port
        return ScriptedSession(self._script, self._confinement)
