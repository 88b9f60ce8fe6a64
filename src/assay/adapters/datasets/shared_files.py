"""Contents of users' data sets in an object store, each with the index of its lines."""

from hashlib import file_digest
from pathlib import Path

import orjson

from assay.domain.errors import ObjectStoreError
from assay.engine.objects import ObjectStore, noted_sha256


class SharedFiles:
    """Three objects for each content: its lines, their index, and last a note with the hash of the index."""

    def __init__(self, objects: ObjectStore) -> None:
        self._objects = objects

    def put(self, sha256: str, content: Path, index: Path) -> None:
        names = _names(sha256)
        with index.open("rb") as file:
            note = {"index_sha256": file_digest(file, "sha256").hexdigest()}
        self._objects.put(names[1], index)
        self._objects.put(names[0], content)
        # If the note exists, the rest does too.
        self._objects.put(names[2], orjson.dumps(note))

    def holds(self, sha256: str) -> bool:
        return self._objects.read(_names(sha256)[2]) is not None

    def copies(self, sha256: str) -> tuple[Path, Path] | None:
        """Copies of the lines and of their index on this machine."""
        names = _names(sha256)
        note = self._objects.read(names[2])
        if note is None:
            return None
        content = self._objects.local_copy(names[0], sha256)
        index = self._objects.local_copy(names[1], _index_sha256(note, names[2]))
        return None if content is None or index is None else (content, index)

    def remove(self, sha256: str) -> None:
        self._objects.remove(_names(sha256)[::-1])


def _index_sha256(note: bytes, name: str) -> str:
    sha256 = noted_sha256(note, "index_sha256")
    if sha256 is None:
        raise ObjectStoreError(f"{name!r} in the object store cannot be read: add the data set again")
    return sha256


def _names(sha256: str) -> tuple[str, str, str]:
    stem = f"datasets/{sha256[:2]}/{sha256}"
    return f"{stem}.jsonl", f"{stem}.index", f"{stem}.json"
