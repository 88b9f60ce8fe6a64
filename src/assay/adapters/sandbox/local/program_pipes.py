"""The descriptors of one execution: an input file, and pipes for the two output streams."""

import fcntl
import os
from types import TracebackType
from typing import Self

_SEALED = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL


def memory_file(content: bytes) -> int:
    """A read-only file in memory: unlike a pipe, it lets programs ask for the size of their input."""
    descriptor = os.memfd_create("assay", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with open(descriptor, "wb", closefd=False) as file:  # a descriptor has no path
        file.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALED)
    return descriptor


class ProgramPipes:
    """`given` is passed to the program and closed here once it has started; the rest when the block ends."""

    def __init__(self, stdin: bytes) -> None:
        self.stdout, to_stdout = os.pipe2(os.O_CLOEXEC)
        self.stderr, to_stderr = os.pipe2(os.O_CLOEXEC)
        self.stdio = (memory_file(stdin), to_stdout, to_stderr)
        self._given = list(self.stdio)
        self._kept = [self.stdout, self.stderr]

    def keep(self, descriptor: int) -> int:
        self._kept.append(descriptor)
        return descriptor

    def give(self, descriptor: int) -> int:
        self._given.append(descriptor)
        return descriptor

    def close_given(self) -> None:
        while self._given:
            os.close(self._given.pop())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close_given()
        while self._kept:
            os.close(self._kept.pop())
