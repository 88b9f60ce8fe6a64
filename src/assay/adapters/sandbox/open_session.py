"""What the sessions of all backends have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self
from uuid import uuid4

from assay.domain.errors import SandboxError
from assay.domain.programs.sandbox import WORKSPACE, Confinement, ExecResult, Limits, Spec, Status


class OpenSession(ABC):
    """Ends once, even if it is closed several times."""

    def __init__(self, confinement: Confinement, *, on_close: Callable[[], None]) -> None:
        self._confinement = confinement
        self._on_close = on_close
        self._is_closed = False

    @property
    def confinement(self) -> Confinement:
        return self._confinement

    async def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        try:
            await self._end()
        finally:
            self._on_close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @abstractmethod
    async def _end(self) -> None:
        """End whatever is still running."""

    def _require_open(self) -> None:
        if self._is_closed:
            raise SandboxError("the session is closed")


class CommandSession(OpenSession):
    """A session with its own installed programs, where each Python case is run as a command."""

    def __init__(self, spec: Spec, confinement: Confinement, *, on_close: Callable[[], None]) -> None:
        super().__init__(confinement, on_close=on_close)
        self._spec = spec

    @abstractmethod
    async def put(self, files: Mapping[str, bytes]) -> None: ...

    @abstractmethod
    async def exec(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> ExecResult: ...

    async def _command_of(self, source: str) -> list[str]:
        """The command that runs Python source, which is written to the workspace.

        Checks the interpreter that the spec names: a missing one must not look like a failure of the program.
        """
        named = self._spec.python
        if named is not None and (await self.exec([named, "-c", ""])).status is not Status.OK:
            raise SandboxError(f"the sandbox {self._confinement.backend!r} has no interpreter {named!r}")
        name = f".assay-{uuid4().hex}.py"
        await self.put({name: source.encode("utf-8", "surrogatepass")})
        return [named or "python3", "-B", f"{WORKSPACE}/{name}"]
