"""Files that all machines of an installation share, as a port."""

import re
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

import orjson

_T = TypeVar("_T")
_TRIES = 3
_SHA256 = re.compile(r"[0-9a-f]{64}")


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


def opened_copy(open_copy: Callable[[], _T]) -> _T:
    """What it opens; tried again if the copy made room for another between its check and its opening."""
    for _ in range(_TRIES - 1):
        with suppress(FileNotFoundError):
            return open_copy()
    return open_copy()


def noted_sha256(note: bytes, field: str) -> str | None:
    """The hash in a small object that names another; None if there is none."""
    with suppress(orjson.JSONDecodeError):
        match orjson.loads(note):
            case {**found} if isinstance(sha256 := found.get(field), str) and _SHA256.fullmatch(sha256):
                return sha256
            case _:
                pass
    return None
