"""Files by name, kept outside of the database, as a port."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from assay.domain.errors import ObjectStoreError


class ObjectStore(Protocol):
    """Files by names such as `datasets/ab/abcd.jsonl`; one that is there was written whole.

    Calls block: they are for threads. All raise ObjectStoreError, and ObjectStoreAwayError while it is away.
    """

    def put(self, name: str, content: bytes | Path) -> None:
        """Store or replace it, in one step."""
        ...

    def read(self, name: str) -> bytes | None:
        """A small file as a whole; None if there is none."""
        ...

    def local_copy(self, name: str, sha256: str) -> Path | None:
        """A checked copy on this machine of a file with this content; None if there is none.

        The copy may be removed to make room for others: open it at once.
        """
        ...

    def remove(self, names: Collection[str]) -> None:
        """Remove those that exist."""
        ...

    def names(self, prefix: str) -> Sequence[str]:
        """Those that begin with the prefix, which ends in `/`, in any order."""
        ...


class NoObjects:
    """Used where no place for files is set up."""

    def put(self, name: str, content: bytes | Path) -> None:  # noqa: ARG002
        raise _nowhere(name)

    def read(self, name: str) -> bytes | None:
        raise _nowhere(name)

    def local_copy(self, name: str, sha256: str) -> Path | None:  # noqa: ARG002
        raise _nowhere(name)

    def remove(self, names: Collection[str]) -> None: ...

    def names(self, prefix: str) -> Sequence[str]:  # noqa: ARG002
        return ()


def _nowhere(name: str) -> ObjectStoreError:
    return ObjectStoreError(f"there is no place for the file {name!r}: this process was started without one")
