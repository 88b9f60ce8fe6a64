"""Files that all machines of an installation share, as a port."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol


class ObjectStore(Protocol):
    """Files by names such as `datasets/ab/abcd.jsonl`.

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
