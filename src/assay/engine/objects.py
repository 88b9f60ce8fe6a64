"""Files by name, kept outside of the database."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Protocol

from assay.domain.errors import StoreError


class ObjectStore(Protocol):
    """A name is a relative path with `/` between its parts; a file that is there was written whole."""

    async def put(self, name: str, file: Path) -> None:
        """Store the content of the file, in place of what has the name; raises StoreError."""
        ...

    def get(self, name: str) -> AsyncIterator[bytes]:
        """The content in pieces; raises DataMissingError."""
        ...

    async def delete(self, name: str) -> None:
        """Nothing happens where there is none."""
        ...

    def names(self, prefix: str) -> AsyncIterator[str]:
        """All names that begin with the prefix, in any order."""
        ...


class NoObjects:
    """Used where no place for files is set up."""

    async def put(self, name: str, file: Path) -> None:  # noqa: ARG002
        raise _nowhere(name)

    async def get(self, name: str) -> AsyncIterator[bytes]:
        raise _nowhere(name)
        yield b""

    async def delete(self, name: str) -> None: ...

    async def names(self, prefix: str) -> AsyncIterator[str]:  # noqa: ARG002
        for name in ():
            yield name


def _nowhere(name: str) -> StoreError:
    return StoreError(f"there is no place for the file {name!r}: this process was started without one")
