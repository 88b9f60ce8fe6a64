"""A benchmark that a user wrote in a file: how it is named, and what a run keeps of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.domain.benchmark import Benchmark

PREFIX = "file:"
ENDINGS = (".py", ".yaml", ".yml")


def is_from_file(benchmark: str) -> bool:
    return benchmark.startswith(PREFIX)


@dataclass(frozen=True, slots=True)
class BenchmarkFile:
    """Where the file is on the machine of its author, and what it held when the run was created."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class LoadedFile:
    file: BenchmarkFile
    benchmarks: Sequence[Benchmark]


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file as a user names it: `PATH`, or `PATH:NAME` for one of several benchmarks in it."""

    path: str
    part: str | None = None

    @classmethod
    def parse(cls, text: str) -> "FileRef | None":
        """None if this is not the name of such a file."""
        if text.lower().endswith(ENDINGS):
            return cls(text)
        path, _, part = text.rpartition(":")
        return cls(path, part) if path.lower().endswith(ENDINGS) and part else None
