"""Messages between the service and a supervisor, as JSON."""

from typing import Literal, TypedDict

Mode = Literal["bubblewrap", "landlock", "unsafe"]


class LimitsMessage(TypedDict):
    cpu_s: float
    wall_s: float
    memory_bytes: int
    processes: int
    file_bytes: int
    disk_bytes: int
    inodes: int
    stdout_bytes: int
    stderr_bytes: int
    open_files: int


class Config(TypedDict):
    """How a supervisor is started; `root` is the folder of the slots."""

    mode: Mode
    root: str
    bwrap: str
    has_proc: bool


class Ready(TypedDict):
    uid: int
    has_group: bool
    landlock: int


class Open(TypedDict):
    """`python` is the path of the interpreter inside; `links` are symbolic links to create."""

    limits: LimitsMessage
    mounts: list[tuple[str, str]]
    links: list[tuple[str, str]]
    env: dict[str, str]
    has_network: bool
    python: str
    preload: list[str]


class Put(TypedDict):
    files: list[tuple[str, int]]


class Exec(TypedDict):
    argv: list[str]
    cwd: str
    env: dict[str, str]
    limits: LimitsMessage


class Case(TypedDict):
    limits: LimitsMessage


class Get(TypedDict):
    patterns: list[str]
    max_files: int
    max_bytes: int


class Ended(TypedDict):
    """The end of a program; the frame's bytes are its standard output, then its standard error."""

    status: str
    exit_code: int | None
    signal: int | None
    stdout_bytes: int
    truncated: bool
    cpu_s: float
    wall_s: float
    peak_bytes: int | None


class Failed(TypedDict):
    message: str
