"""Virtual environments and files from the user, in one folder per benchmark."""

import hashlib
import json
import logging
import shutil
from collections.abc import Callable
from pathlib import Path

from assay.adapters.prepared.install import install, interpreter
from assay.adapters.prepared.shared import SharedPreparations, linked_or_copied
from assay.adapters.prepared.toolchains import Toolchains, file_lock
from assay.domain.benchmark import Environment
from assay.domain.errors import DataMissingError, StoreError
from assay.domain.json_value import digest
from assay.domain.programs.toolchain import Toolchain
from assay.engine.objects import ObjectStore

_log = logging.getLogger(__name__)
_READY = "ready.json"
_CHUNK_BYTES = 1 << 20


class PreparedEnvironments:
    """An environment is identified by its pins: changed pins make another one.

    With an object store, what was prepared on one machine is prepared on the others when they need it.
    """

    def __init__(self, folder: Path, objects: ObjectStore | None = None) -> None:
        self._root = folder
        self._shared = None if objects is None else SharedPreparations(objects, folder / "shared")
        self.toolchains = Toolchains(folder / "toolchains")

    def python(self, benchmark: str, environment: Environment) -> str:
        place = self._place(benchmark, environment)
        if not self.is_prepared(benchmark, environment):
            if self._shared is None or not self._shared.has_environment(self._name(place)):
                name = _base(benchmark)
                raise DataMissingError(
                    f"the packages that {name!r} runs programs with are not installed:"
                    f" run `assay data prepare {name}`"
                )
            _log.warning("installing the packages of %s, as on another machine", _base(benchmark))
            self._install(benchmark, environment, place)
        return str(place / "bin" / "python")

    def is_prepared(self, benchmark: str, environment: Environment) -> bool:
        """Whether it is on this machine."""
        return (self._place(benchmark, environment) / _READY).is_file()

    def file(self, benchmark: str, name: str) -> Path | None:
        path = self._files(benchmark) / name
        if self._shared is None:
            return path if path.is_file() else None
        shared = f"{_base(benchmark)}/{name}"
        found = self._shared.file(shared)
        if found is None and path.is_file():
            # It was kept before there was an object store.
            self._shared.put_file(shared, path, _sha256(path))
            found = self._shared.file(shared)
        return found

    def toolchain(self, name: str, *, is_primed: bool = False) -> Toolchain:
        if is_primed:
            self.toolchains.prime(name)
        return self.toolchains.find(name)

    def prepare(self, benchmark: str, environment: Environment, *, say: Callable[[str], None]) -> str:
        """Install the packages if needed; returns the interpreter."""
        place = self._place(benchmark, environment)
        if not self.is_prepared(benchmark, environment):
            say(f"installing {', '.join(environment.requirements)}")
            self._install(benchmark, environment, place)
        if self._shared is not None:
            self._shared.note_environment(self._name(place), environment.requirements)
        return self.python(benchmark, environment)

    def _install(self, benchmark: str, environment: Environment, place: Path) -> None:
        base = interpreter(environment.pythons)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            # Workers that share a data folder: the second finds what the first has installed.
            with file_lock(place.with_name(f"{place.name}.lock")):
                if self.is_prepared(benchmark, environment):
                    return
                shutil.rmtree(place, ignore_errors=True)
                install(base, place, environment.requirements)
                # Written last, so that an incomplete installation does not count as ready.
                (place / _READY).write_text(json.dumps({"requirements": environment.requirements}))
        except OSError as error:
            raise StoreError(f"the packages of {benchmark!r} could not be put in {place}: {error}") from error

    def keep(self, benchmark: str, name: str, source: Path) -> str:
        """Keep the user's file under its official name; returns its SHA-256."""
        if not source.is_file():
            raise DataMissingError(f"no file {str(source)!r}")
        path = self._files(benchmark) / name
        try:
            linked_or_copied(source, path)
            sha256 = _sha256(path)
        except OSError as error:
            raise StoreError(f"{str(source)!r} could not be kept in {path.parent}: {error}") from error
        if self._shared is not None:
            self._shared.put_file(f"{_base(benchmark)}/{name}", path, sha256)
        return sha256

    def _name(self, place: Path) -> str:
        return place.relative_to(self._root).as_posix()

    def _place(self, benchmark: str, environment: Environment) -> Path:
        pins = digest([list(environment.requirements), list(environment.pythons)])
        return self._root / _base(benchmark) / f"environment-{pins[:16]}"

    def _files(self, benchmark: str) -> Path:
        return self._root / _base(benchmark) / "files"


def _base(benchmark: str) -> str:
    """The name without the variant: variants share environments and files."""
    return benchmark.partition(":")[0]


def _sha256(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            found.update(chunk)
    return found.hexdigest()
