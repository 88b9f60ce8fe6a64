"""One split of a data set on the hub: only its files are fetched, and its commit is kept to."""

import json
import os
import re
import tempfile
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from assay.adapters.datasets.digests import Digests
from assay.adapters.datasets.formats import rows_of
from assay.adapters.datasets.hub import Fetch, Hub
from assay.adapters.datasets.hub_layout import split_files
from assay.adapters.datasets.locks import Lock, read_lock, write_lock
from assay.domain.benchmark import DataFile, Source
from assay.domain.errors import DataChangedError, DataMissingError, InvalidValueError, StoreError
from assay.domain.json_value import Json
from assay.engine.one_file.files import HubSplit, Rows

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_README = "README.md"
_PINS = "assay.rows.json"
_SHOWN = 12


@dataclass(frozen=True, slots=True)
class _Pin:
    """What was found when a split was first asked for."""

    commit: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HubRows:
    root: Path
    hub: Hub

    def rows(self, wanted: HubSplit) -> Rows:
        """Raises UsageError; without a revision, that of the first time."""
        if not _REPOSITORY.fullmatch(wanted.repository) or ".." in wanted.repository:
            raise InvalidValueError(f"{wanted.repository!r} is no data set on the hub: name it as org/name")
        folder = self.root / wanted.repository.replace("/", "--")
        try:
            pin = self._pinned(folder, wanted)
            if pin is None:
                pin = self._fetched(folder, wanted)
                _write_pin(folder, wanted, pin)
        except OSError as error:
            raise StoreError(f"{wanted.repository} could not be stored in {folder}: {error}") from error
        paths = (folder / pin.commit / file for file in pin.files)
        where = f"hf:{wanted.repository}@{pin.commit[:_SHOWN]}"
        config = f"/{wanted.config}" if wanted.config else ""
        return Rows(list(chain.from_iterable(map(rows_of, paths))), f"{where}{config}/{wanted.split}")

    def _pinned(self, folder: Path, wanted: HubSplit) -> _Pin | None:
        """None if a file is missing; raises DataChangedError if one is not what was fetched."""
        pin = _read_pins(folder).get(_key(wanted))
        if pin is None:
            return None
        lock = read_lock(folder / pin.commit)
        for file in pin.files:
            path = folder / pin.commit / file
            if lock is None or file not in lock.files or not path.is_file():
                return None
            if not Digests.of(path).match(lock.files[file], lock.files[file]):
                raise DataChangedError(
                    f"{path} is not the file that was fetched: remove it to fetch it again"
                )
        return pin

    def _fetched(self, folder: Path, wanted: HubSplit) -> _Pin:
        """From a commit: a branch may move while its files are fetched."""
        asked = _fetch(wanted, wanted.revision or "")
        commit, files = self.hub.listing(asked)
        if not _COMMIT.fullmatch(commit):
            raise DataMissingError(f"the hub names no commit of {wanted.repository} but {commit[:80]!r}")
        fetch, target = _fetch(wanted, commit), folder / commit
        target.mkdir(parents=True, exist_ok=True)
        lock = read_lock(target)
        digests = dict(lock.files) if lock else {}
        readme = ""
        if _README in files:
            self._download(fetch, _README, target)
            readme = (target / _README).read_text(encoding="utf-8", errors="replace")
        chosen = split_files(files, readme, wanted)
        for file in chosen:
            digests[file] = self._download(fetch, file, target).sha256
        write_lock(target, Lock(wanted.repository, commit, digests))
        return _Pin(commit, chosen)

    def _download(self, fetch: Fetch, path: str, folder: Path) -> Digests:
        return self.hub.download(fetch, DataFile(path, ""), folder, progress=lambda _name, _done, _all: None)


def _fetch(wanted: HubSplit, revision: str) -> Fetch:
    # Something is fetched from there, so it has a page.
    source = Source(wanted.repository, revision, (DataFile(_README, ""),))
    return Fetch(source, "start the run")


def _key(wanted: HubSplit) -> str:
    return json.dumps([wanted.config, wanted.split, wanted.revision])


def _read_pins(folder: Path) -> dict[str, _Pin]:
    try:
        content: Json = json.loads((folder / _PINS).read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise DataChangedError(f"{folder / _PINS} cannot be read ({error}): remove it") from error
    found: dict[str, _Pin] = {}
    for key, value in content.items() if isinstance(content, dict) else ():
        match value:
            case {"commit": str(commit), "files": list(files)}:
                found[key] = _Pin(commit, tuple(map(str, files)))
            case _:
                raise DataChangedError(f"{folder / _PINS} cannot be read: remove it")
    return found


def _write_pin(folder: Path, wanted: HubSplit, pin: _Pin) -> None:
    pins = {**_read_pins(folder), _key(wanted): pin}
    content = {key: {"commit": one.commit, "files": one.files} for key, one in pins.items()}
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=_PINS)
    with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
        json.dump(content, stream, indent=2)
    Path(temporary).replace(folder / _PINS)
