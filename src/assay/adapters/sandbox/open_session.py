"""What the sessions of all backends have in common: an end, and an interpreter that may not be there."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Self
from uuid import uuid4

from assay.domain.errors import SandboxError
from assay.domain.sandbox import WORKSPACE, Confinement, Limits, Result, Spec, Status


class OpenSession(ABC):
    """Ends once, however often it is closed."""

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
        """End whatever is left running."""

    def _must_be_open(self) -> None:
        if self._is_closed:
            raise SandboxError("the session is closed")


class ForeignSession(OpenSession):
    """A session in a place with programs of its own, where each Python case is a command."""

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
    ) -> Result: ...

    async def _command_of(self, source: str) -> list[str]:
        """The command that runs Python source, which is put into the workspace.

        An interpreter that the spec names is tried: what is not there must not look like a program's failure.
        """
        named = self._spec.python
        if named is not None and (await self.exec([named, "-c", ""])).status is not Status.OK:
            raise SandboxError(f"the sandbox {self._confinement.backend!r} has no interpreter {named!r}")
        name = f".assay-{uuid4().hex}.py"
        await self.put({name: source.encode("utf-8", "surrogatepass")})
        return [named or "python3", "-B", f"{WORKSPACE}/{name}"]
