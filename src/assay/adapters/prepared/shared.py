"""What was prepared on one machine, for the others: files of the user, and a note for each environment.

An environment itself stays on its machine: it holds absolute paths, links to an interpreter and binaries for
one kind of processor. Others install the same pins once they find the note.
"""

import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import orjson

from assay.domain.errors import ObjectStoreError
from assay.engine.objects import ObjectStore, noted_sha256

_ABSENT_S = 10.0


class SharedPreparations:
    """`folder` keeps the copies of files, each in a folder named after its hash."""

    def __init__(self, objects: ObjectStore, folder: Path) -> None:
        self._objects = objects
        self._folder = folder
        self._files: dict[str, Path] = {}
        # Until when a file that is not there is not looked for again: graders ask for each answer.
        self._absent_until: dict[str, float] = {}

    def note_environment(self, place: str, requirements: Sequence[str]) -> None:
        self._objects.put(_note(place), orjson.dumps({"requirements": list(requirements)}))

    def has_environment(self, place: str) -> bool:
        return self._objects.read(_note(place)) is not None

    def put_file(self, name: str, path: Path, sha256: str) -> None:
        self._objects.put(f"prepared/{name}", path)
        # Last, so that what it names is there.
        self._objects.put(_note(name), orjson.dumps({"sha256": sha256}))
        self._files.pop(name, None)
        self._absent_until.pop(name, None)

    def file(self, name: str) -> Path | None:
        """A copy of the file that was kept last; a process stays with the one that it has begun with."""
        known = self._files.get(name)
        if known is not None and known.is_file():
            return known
        if time.monotonic() < self._absent_until.get(name, 0.0):
            return None
        note = self._objects.read(_note(name))
        if note is None:
            self._absent_until[name] = time.monotonic() + _ABSENT_S
            return None
        sha256 = _sha256_in(note, name)
        path = self._folder / sha256 / Path(name).name
        if not path.is_file():
            copy = self._objects.local_copy(f"prepared/{name}", sha256)
            if copy is None:
                raise ObjectStoreError(
                    f"'prepared/{name}' is not in the object store any more: keep it again"
                )
            linked_or_copied(copy, path)
        self._files[name] = path
        return path


def linked_or_copied(source: Path, target: Path) -> None:
    """In one step."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"{target.name}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        os.link(source.resolve(), partial)
    except OSError:
        shutil.copyfile(source, partial)
    partial.replace(target)


def _note(name: str) -> str:
    return f"prepared/{name}.json"


def _sha256_in(note: bytes, name: str) -> str:
    sha256 = noted_sha256(note, "sha256")
    if sha256 is None:
        raise ObjectStoreError(f"{_note(name)!r} in the object store cannot be read: keep the file again")
    return sha256
