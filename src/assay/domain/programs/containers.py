"""Containers that a task runs in: what a benchmark asks of a container engine."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol, Self

from assay.domain.programs.sandbox import MIB, Confinement, ExecResult

GIB = 1024 * MIB
PullProgress = Callable[[str], None]
"""Told what the engine is doing, in its own words."""


@dataclass(frozen=True, slots=True)
class ContainerLimits:
    """What all processes of a container may use together; no more processors than the machine has."""

    cpus: float = 2.0
    memory_bytes: int = 4 * GIB
    processes: int = 1024
    # Of the files that were written, beside those of the image.
    disk_bytes: int = 10 * GIB
    # After this time the container ends by itself, also if nobody is left to remove it.
    lifetime_s: int = 24 * 3600


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """What a container is started with: it only waits, and every program runs in it by `exec`."""

    image: str
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    network: Literal["none", "on"] = "none"
    limits: ContainerLimits = ContainerLimits()
    # Shells show it in their prompt, so it must be the same each time an attempt is executed.
    hostname: str = "task"
    # None leaves it to the image.
    workdir: str | None = None


@dataclass(frozen=True, slots=True)
class Build:
    """A folder with a Dockerfile; `excluded` are names in the folder itself that the image must not see."""

    folder: Path
    dockerfile: str = "Dockerfile"
    excluded: frozenset[str] = frozenset()
    network: Literal["none", "on"] = "on"
    timeout_s: float = 1800.0


@dataclass(frozen=True, slots=True)
class PlacedFile:
    """A file to place in a container."""

    content: bytes
    is_executable: bool = False


@dataclass(frozen=True, slots=True)
class HttpQuestion:
    """What a program in a container asks over HTTP; everything in it is untrusted."""

    method: str
    path: str
    authorization: str = ""
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    status: int
    body: bytes
    content_type: str = "application/json"


Answering = Callable[[HttpQuestion], Awaitable[HttpAnswer]]


class Container(Protocol):
    """One running container; every method raises SandboxError if the engine, not a program, failed.

    Once a limit on the whole container or its own programs have ended it, `exec` says so and runs nothing.
    """

    @property
    def confinement(self) -> Confinement: ...

    async def exec(
        self,
        argv: Sequence[str],
        *,
        wall_s: float,
        stdin: bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        is_root: bool = True,
        output_bytes: int = MIB,
    ) -> ExecResult:
        """Run a command as root or as the image's user; exceeding `wall_s` ends the whole container."""
        ...

    async def put(self, folder: str, files: Mapping[str, PlacedFile]) -> None:
        """Write files below a folder, which is made if it does not exist."""
        ...

    async def get(self, folder: str, *, max_files: int = 1000, max_bytes: int = 64 * MIB) -> dict[str, bytes]:
        """The regular files below a folder, by paths relative to it; links are left out.

        Empty if there is no such folder.
        """
        ...

    def serving(self, answer: Answering) -> AbstractAsyncContextManager[str]:
        """Give `answer` an HTTP address that only this container reaches, also without a network.

        It ends with the block; requests that are then under way get no answer.
        """
        ...

    async def close(self) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Containers(Protocol):
    """The container engine of the installation."""

    async def check(self) -> None:
        """Raises SandboxUnavailableError with what to do if no engine can be used."""
        ...

    async def pulled(self, image: str, *, progress: PullProgress | None = None) -> str:
        """The image's id, fetched from its registry if it is not here; raises SandboxError."""
        ...

    async def built(self, build: Build, *, progress: PullProgress | None = None) -> str:
        """The id of the image that is built from the folder; an equal folder is built once."""
        ...

    async def open(self, spec: ContainerSpec) -> Container:
        """Wait for a free place and start a container."""
        ...
