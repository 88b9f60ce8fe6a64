"""The files that a Python interpreter needs to run in an otherwise empty sandbox."""

import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

from assay.domain.errors import SandboxUnavailableError
from assay.domain.programs.sandbox import Mount

# Folders that every sandbox contains.
_SYSTEM = Path("/usr")
_SYSTEM_PYTHONS = (Path("/usr/bin/python3"), Path("/usr/local/bin/python3"))
_MOST_LINKS = 16


@dataclass(frozen=True, slots=True)
class Runtime:
    """An interpreter by its path, the folders it reads, and the links between the two: (target, path)."""

    python: str
    mounts: tuple[Mount, ...]
    links: tuple[tuple[str, str], ...]


def runtime(python: str | None, *, is_public: bool = False) -> Runtime:
    """The named interpreter, or the one behind Assay's own, without Assay's packages.

    A public interpreter can be executed by every user of the machine.
    """
    named = Path(python) if python else _default(is_public=is_public)
    path = named.parent.resolve() / named.name
    real = path.resolve()
    if not real.is_file():
        raise SandboxUnavailableError(f"there is no Python interpreter {str(named)!r}")
    folders = [real.parent.parent]
    environment = path.parent.parent
    if (environment / "pyvenv.cfg").is_file():
        folders.append(environment)
    needed = [one for one in folders if not one.is_relative_to(_SYSTEM)]
    mounts = tuple(Mount(str(one)) for one in dict.fromkeys(needed))
    if len(folders) == 1:
        return Runtime(str(real), mounts, ())
    return Runtime(str(path), mounts, tuple(_links(path, [_SYSTEM, *needed])))


def _default(*, is_public: bool) -> Path:
    own = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    candidates = [own, *_SYSTEM_PYTHONS] if is_public else [own]
    for path in candidates:
        if path.is_file() and (not is_public or _is_public(path.resolve())):
            return path
    raise SandboxUnavailableError(
        f"other users cannot enter the folder of the interpreter {str(own)!r}; install python3 for all users"
    )


def _is_public(path: Path) -> bool:
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in path.parents)


def _links(path: Path, visible: list[Path]) -> list[tuple[str, str]]:
    """Symbolic links to the real interpreter that lie outside the folders in the sandbox."""
    found: list[tuple[str, str]] = []
    for _ in range(_MOST_LINKS):
        if not path.is_symlink():
            break
        target = path.readlink()
        if not any(path.is_relative_to(one) for one in visible):
            found.append((str(target), str(path)))
        path = Path(os.path.normpath(path.parent / target))
    return found
