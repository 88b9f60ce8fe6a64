"""What the service asks of a supervisor, and what it is told: the JSON of their messages."""

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
    """How a supervisor is started; `root` is where slots are kept."""

    mode: Mode
    root: str
    bwrap: str
    has_proc: bool


class Ready(TypedDict):
    uid: int
    has_group: bool
    landlock: int


class Open(TypedDict):
    """`python` is the interpreter of Python cases, by its path inside; `links` are symbolic links to make."""

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
    """A program's end; the frame's bytes are its output, then what it wrote to its error stream."""

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
