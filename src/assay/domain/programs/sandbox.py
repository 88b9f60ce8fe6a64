"""Running untrusted programs: what a grader asks for, and how it learns how the program ended."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum
from types import TracebackType
from typing import Literal, Protocol, Self

from assay.domain.calls.messages import Json

KIB = 1024
MIB = 1024 * KIB
WORKSPACE = "/workspace"


class Isolation(IntEnum):
    """What isolates the program from the machine; a higher value is stronger."""

    NONE = 0
    LANDLOCK = 1
    NAMESPACES = 2
    CONTAINER = 3
    GVISOR = 4
    VM = 5

    @property
    def label(self) -> str:
        return self.name.lower()


class Limit(StrEnum):
    """A limit that a backend enforces, on all processes together unless the name says otherwise."""

    CPU = "cpu"
    PROCESS_CPU = "process_cpu"
    WALL = "wall"
    MEMORY = "memory"
    PROCESS_MEMORY = "process_memory"
    PROCESSES = "processes"
    FILE_SIZE = "file_size"
    DISK = "disk"
    INODES = "inodes"
    OUTPUT = "output"
    OPEN_FILES = "open_files"
    NETWORK = "network"


class Status(StrEnum):
    """How a program ended by itself. A failure of the sandbox is raised as SandboxError."""

    OK = "ok"
    NONZERO = "nonzero"
    SIGNAL = "signal"
    CPU_LIMIT = "cpu_limit"
    WALL_LIMIT = "wall_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    PROCESS_LIMIT = "process_limit"
    DISK_LIMIT = "disk_limit"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one execution may use; `memory_bytes` includes what it keeps in its temporary files."""

    cpu_s: float = 10.0
    wall_s: float = 30.0
    memory_bytes: int = 512 * MIB
    processes: int = 64
    file_bytes: int = 64 * MIB
    disk_bytes: int = 128 * MIB
    inodes: int = 8192
    stdout_bytes: int = MIB
    stderr_bytes: int = 256 * KIB
    open_files: int = 256


@dataclass(frozen=True, slots=True)
class Mount:
    """A file or folder of this machine that the program may only read; at the same path by default."""

    source: str
    target: str = ""

    @property
    def inside(self) -> str:
        return self.target or self.source


Network = Literal["none", "allowlist", "on"]


@dataclass(frozen=True, slots=True)
class Spec:
    """What a session is opened for.

    `profile` names a tool chain (`python`, `node`, …), `image` a container image: a backend without images
    refuses a spec that names one. `python` is the interpreter of Python cases; its environment and the
    installation behind it are mounted without being listed. `preload` are modules that every case finds
    imported, where they exist.
    """

    profile: str | None = None
    image: str | None = None
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    network: Network = "none"
    # Hosts that the program may reach; read only with the network mode "allowlist".
    allowed_hosts: tuple[str, ...] = ()
    limits: Limits = Limits()
    python: str | None = None
    preload: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Confinement:
    """How a program was confined: stored with each attempt, so that a reader can judge the verdict.

    `is_verified` is False where a remote service claims its isolation and nothing here could check it.
    """

    backend: str
    isolation: Isolation
    enforced: frozenset[Limit]
    is_verified: bool = True

    def of(self, spec: Spec) -> "Confinement":
        """The confinement of one session: a session with network access does not claim to have none."""
        if spec.network == "none":
            return self
        return replace(self, enforced=self.enforced - {Limit.NETWORK})

    def to_json(self) -> dict[str, Json]:
        return {
            "backend": self.backend,
            "isolation": self.isolation.label,
            "enforced": [one.value for one in sorted(self.enforced)],
            "verified": self.is_verified,
        }


@dataclass(frozen=True, slots=True)
class ExecResult:
    """One execution. Exit code 0 means that the program ended normally, not that it did its task."""

    status: Status
    exit_code: int | None
    signal: int | None
    stdout: bytes
    stderr: bytes
    truncated: bool
    cpu_s: float | None
    wall_s: float
    peak_bytes: int | None
    confinement: Confinement


class SandboxSession(Protocol):
    """A workspace that lasts for several executions; closing it kills all remaining processes.

    Every method raises SandboxError if the sandbox, not the program, failed.
    """

    @property
    def confinement(self) -> Confinement: ...

    async def put(self, files: Mapping[str, bytes]) -> None:
        """Write files into the workspace, by paths relative to it."""
        ...

    async def exec(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> ExecResult:
        """Run a command in the workspace and wait until all of its processes have ended."""
        ...

    def exec_many(
        self, source: str, cases: Sequence[bytes], *, limits: Limits | None = None
    ) -> AsyncIterator[ExecResult]:
        """Run Python source once per case, with the case on standard input; results in the cases' order.

        Cases are isolated from each other. They can read and import files of the workspace, and each has its
        own current folder. Closing the iterator early ends the running case and drops the rest.
        """
        ...

    async def get(
        self, patterns: Sequence[str], *, max_files: int = 1000, max_bytes: int = 64 * MIB
    ) -> dict[str, bytes]:
        """Regular files of the workspace by glob pattern; links and special files are never followed."""
        ...

    async def close(self) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Sandbox(Protocol):
    """Where graders run code; the installation chooses the backend."""

    async def open(self, spec: Spec) -> SandboxSession:
        """Wait for a free slot and open a session; raises SandboxUnavailableError or SandboxError."""
        ...
