"""Virtual environments and files from the user, in one folder per benchmark."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from assay.adapters.prepared.install import install, interpreter
from assay.adapters.prepared.toolchains import Toolchains
from assay.domain.benchmark import Environment
from assay.domain.errors import DataMissingError, StoreError
from assay.domain.json_value import digest
from assay.domain.toolchain import Toolchain

_READY = "ready.json"
_CHUNK_BYTES = 1 << 20


class PreparedEnvironments:
    """An environment is identified by its pins: changed pins make another one."""

    def __init__(self, folder: Path) -> None:
        self._root = folder
        self.toolchains = Toolchains(folder / "toolchains")

    def python(self, benchmark: str, environment: Environment) -> str:
        place = self._place(benchmark, environment)
        if not (place / _READY).is_file():
            name = _base(benchmark)
            raise DataMissingError(
                f"the packages that {name!r} runs programs with are not installed:"
                f" run `assay data prepare {name}`"
            )
        return str(place / "bin" / "python")

    def file(self, benchmark: str, name: str) -> Path | None:
        path = self._files(benchmark) / name
        return path if path.is_file() else None

    def toolchain(self, name: str, *, is_primed: bool = False) -> Toolchain:
        if is_primed:
            self.toolchains.prime(name)
        return self.toolchains.find(name)

    def prepare(self, benchmark: str, environment: Environment, *, say: Callable[[str], None]) -> str:
        """Install the packages if needed; returns the interpreter."""
        place = self._place(benchmark, environment)
        if (place / _READY).is_file():
            return self.python(benchmark, environment)
        base = interpreter(environment.pythons)
        say(f"installing {', '.join(environment.requirements)}")
        try:
            shutil.rmtree(place, ignore_errors=True)
            place.parent.mkdir(parents=True, exist_ok=True)
            install(base, place, environment.requirements)
            # Written last, so that an incomplete installation does not count as ready.
            (place / _READY).write_text(json.dumps({"requirements": environment.requirements}))
        except OSError as error:
            raise StoreError(f"the packages of {benchmark!r} could not be put in {place}: {error}") from error
        return self.python(benchmark, environment)

    def keep(self, benchmark: str, name: str, source: Path) -> str:
        """Keep the user's file under its official name; returns its SHA-256."""
        if not source.is_file():
            raise DataMissingError(f"no file {str(source)!r}")
        folder = self._files(benchmark)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            partial = folder / f"{name}.partial"
            partial.unlink(missing_ok=True)
            _linked_or_copied(source, partial)
            partial.replace(folder / name)
        except OSError as error:
            raise StoreError(f"{str(source)!r} could not be kept in {folder}: {error}") from error
        return _sha256(folder / name)

    def _place(self, benchmark: str, environment: Environment) -> Path:
        pins = digest([list(environment.requirements), list(environment.pythons)])
        return self._root / _base(benchmark) / f"environment-{pins[:16]}"

    def _files(self, benchmark: str) -> Path:
        return self._root / _base(benchmark) / "files"


def _base(benchmark: str) -> str:
    """The name without the variant: variants share environments and files."""
    return benchmark.partition(":")[0]


def _linked_or_copied(source: Path, target: Path) -> None:
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copyfile(source, target)


def _sha256(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            found.update(chunk)
    return found.hexdigest()
