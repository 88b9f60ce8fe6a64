"""A task file and those that it includes, with the place of every key."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import cast

import yaml

from assay.domain.errors import InvalidValueError

_MAX_BYTES = 1024 * 1024
_MOST_FILES = 50
_INCLUDE = "include"


@dataclass(frozen=True, slots=True)
class PythonFunction:
    """What `!function` names; nothing of it is imported."""

    name: str


class Places(dict[str, object]):
    """A mapping that knows the line of each of its keys."""

    lines: dict[str, str]


@dataclass(frozen=True, slots=True)
class TaskFile:
    """The keys of the file above those of the files that it includes, and a hash of them all."""

    path: Path
    keys: Mapping[str, object]
    places: Mapping[str, str]
    sha256: str

    def fault(self, key: str, fault: str) -> str:
        return f"{self.places.get(key, str(self.path))}: {key}: {fault}"


@dataclass(slots=True)
class _Reading:
    contents: dict[Path, bytes] = field(default_factory=dict[Path, bytes])


def read_task_file(path: Path) -> TaskFile:
    """Raises InvalidValueError with the file and the line."""
    reading = _Reading()
    merged = _read(path, reading)
    digest = sha256()
    for content in reading.contents.values():
        digest.update(sha256(content).digest())
    return TaskFile(path, merged, merged.lines, digest.hexdigest())


def _read(path: Path, reading: _Reading) -> Places:
    if path in reading.contents:
        raise InvalidValueError(f"{path} includes itself")
    if len(reading.contents) >= _MOST_FILES:
        raise InvalidValueError(f"{path}: more than {_MOST_FILES} files include each other")
    content = _content(path)
    reading.contents[path] = content
    own = _parsed(path, content)
    merged = Places()
    merged.lines = {}
    for included in _included(path, own):
        inner = _read((path.parent / included).resolve(), reading)
        merged |= inner
        merged.lines |= inner.lines
    merged |= own
    merged.lines |= own.lines
    merged.pop(_INCLUDE, None)
    return merged


def _included(path: Path, own: Places) -> Iterator[str]:
    named = own.get(_INCLUDE)
    if named is None:
        return
    for one in cast("list[object]", named) if isinstance(named, list) else [named]:
        if not isinstance(one, str):
            raise InvalidValueError(f"{own.lines[_INCLUDE]}: {_INCLUDE}: must name a file, not {one!r}")
        if not (path.parent / one).is_file():
            raise InvalidValueError(f"{own.lines[_INCLUDE]}: {_INCLUDE}: there is no file {one!r}")
        yield one


def _content(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InvalidValueError(f"the task file {str(path)!r} cannot be read: {error.strerror}") from error
    if len(content) > _MAX_BYTES:
        raise InvalidValueError(f"{path}: a task file has at most {_MAX_BYTES // 1024} KiB")
    return content


def _parsed(path: Path, content: bytes) -> Places:
    try:
        parsed: object = yaml.load(content, Loader=_loader(path))  # noqa: S506  # derived from the safe loader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InvalidValueError(f"{path}, line {line}: not valid YAML: {error.problem}") from error
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidValueError(f"{path}: not valid YAML: {error}") from error
    if not isinstance(parsed, Places):
        raise InvalidValueError(f"{path}: a task is a mapping of keys, not {type(parsed).__name__}")
    return parsed


def _loader(path: Path) -> type[yaml.SafeLoader]:
    class Loader(yaml.SafeLoader):
        pass

    def mapping(loader: yaml.SafeLoader, node: yaml.MappingNode) -> Places:
        members = loader.construct_mapping(node, deep=True)
        found = Places({str(key): value for key, value in members.items()})
        found.lines = {str(key.value): f"{path}, line {key.start_mark.line + 1}" for key, _ in node.value}
        return found

    def function(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> PythonFunction:
        return PythonFunction(str(loader.construct_scalar(node)))

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    Loader.add_constructor("!function", function)
    return Loader
