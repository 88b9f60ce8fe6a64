"""The folder of an own agent, read once for a run."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.domain.agent import LoadedAgent, OwnAgent
from assay.domain.errors import InvalidValueError
from assay.domain.programs.containers import PlacedFile
from assay.domain.programs.sandbox import MIB

_MOST_FILES = 10_000
_MOST_BYTES = 128 * MIB
_LEFT_OUT = frozenset({"__pycache__", ".git"})


def load_agent(agent: OwnAgent) -> LoadedAgent:
    """The agent with its files; raises InvalidValueError for a folder that cannot be given to tasks."""
    if agent.folder is None:
        return LoadedAgent(agent)
    folder = Path(agent.folder)
    if not folder.is_dir():
        raise InvalidValueError(f"the agent's folder {agent.folder!r} is not a folder on this machine")
    try:
        files = _files(folder)
    except OSError as error:
        raise InvalidValueError(f"the agent's folder {agent.folder!r} cannot be read: {error}") from error
    if not files:
        raise InvalidValueError(f"the agent's folder {agent.folder!r} has no files")
    return LoadedAgent(agent, files, _digest(files))


def _files(folder: Path) -> dict[str, PlacedFile]:
    """Regular files; links could lead anywhere on this machine."""
    found: dict[str, PlacedFile] = {}
    room = _MOST_BYTES
    for path in _paths(folder):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            raise InvalidValueError(f"the agent's folder holds the link {name!r}: put the file in its place")
        if not path.is_file():
            continue
        room -= path.stat().st_size
        if room < 0 or len(found) >= _MOST_FILES:
            raise InvalidValueError(
                f"the agent's folder {str(folder)!r} may have {_MOST_FILES:,} files and"
                f" {_MOST_BYTES // MIB} MiB; it has more"
            )
        found[name] = PlacedFile(path.read_bytes(), os.access(path, os.X_OK))
    return found


def _paths(folder: Path) -> Iterator[Path]:
    for top, folders, files in os.walk(folder):
        linked = [name for name in folders if (Path(top) / name).is_symlink()]
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT and name not in linked)
        yield from (Path(top) / name for name in sorted([*files, *linked]))


def _digest(files: Mapping[str, PlacedFile]) -> str:
    digest = hashlib.sha256()
    for name, one in sorted(files.items()):
        content = hashlib.sha256(one.content).hexdigest()
        digest.update(f"{name}\n{int(one.is_executable)} {content}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
