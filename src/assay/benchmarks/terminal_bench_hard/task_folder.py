"""Tasks read from a folder, in the layout of Terminal-Bench or in Harbor's.

```
<name>/task.yaml       instruction, limits, parser              <name>/task.toml        limits
       Dockerfile, docker-compose.yaml                                 instruction.md
       run-tests.sh, tests/                                            environment/Dockerfile
       solution.sh                                                     tests/test.sh, solution/solve.sh
```
"""

import ast
import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, cast

import yaml

from assay.benchmarks.terminal_bench_hard.compose import TaskUnsupportedError, service_in
from assay.benchmarks.terminal_bench_hard.screen import PARSERS
from assay.domain.calls.messages import Json
from assay.domain.errors import InvalidValueError
from assay.domain.programs.containers import Build, ContainerLimits, PlacedFile
from assay.domain.programs.sandbox import MIB

Layout = Literal["terminal-bench", "harbor"]
_V1, _HARBOR = "task.yaml", "task.toml"
_COMPOSE = "docker-compose.yaml"
_MOST_TEXT_BYTES = MIB
_MOST_TEST_BYTES = 512 * MIB
# What the image is built without: it would tell the agent how it is judged.
_CACHE = "__pycache__"
_HIDDEN = frozenset({"tests", "run-tests.sh", "solution.sh", "solution.yaml", "solution", _V1, _COMPOSE})
_AGENT_S, _TEST_S, _HARBOR_TEST_S, _BUILD_S = 360.0, 60.0, 600.0, 600.0
_LONGEST_S = 48 * 3600.0


@dataclass(frozen=True, slots=True)
class TerminalTask:
    """`unsupported` says why the task cannot be run here; then only its name and its instruction are sure."""

    id: str
    layout: Layout
    folder: Path
    instruction: str
    digest: str
    difficulty: str = "unknown"
    category: str = "unknown"
    tags: tuple[str, ...] = ()
    parser: str = "pytest"
    agent_s: float = _AGENT_S
    tests_s: float = _TEST_S
    tests_in_same_shell: bool = False
    build: Build | None = None
    image: str | None = None
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    tests_env: Mapping[str, str] = field(default_factory=dict[str, str])
    has_network: bool = True
    workdir: str | None = None
    limits: ContainerLimits = ContainerLimits()
    solution: str | None = None
    unsupported: str | None = None

    def test_files(self) -> dict[str, PlacedFile]:
        """What is placed in `/tests` once the agent has ended."""
        tests = self.folder / "tests"
        files = {path.relative_to(tests).as_posix(): path for path in _files(tests)}
        if self.layout == "terminal-bench":
            files["run-tests.sh"] = self.folder / "run-tests.sh"
        return {name: PlacedFile(path.read_bytes(), _is_executable(path)) for name, path in files.items()}

    def test_names(self) -> frozenset[str]:
        """The test functions in the file that tasks usually have; empty where it is missing."""
        try:
            tree = ast.parse((self.folder / "tests" / "test_outputs.py").read_bytes())
        except (OSError, SyntaxError, ValueError, RecursionError):
            return frozenset()
        return frozenset(
            one.name
            for one in tree.body
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name.startswith("test")
        )


def load_tasks(folder: Path) -> tuple[TerminalTask, ...]:
    """All tasks in a folder, or the one that it is; raises InvalidValueError that names what is wrong."""
    if not folder.is_dir():
        raise InvalidValueError(f"no folder {str(folder)!r} with tasks")
    places = [folder] if _is_task(folder) else sorted(one for one in folder.iterdir() if _is_task(one))
    if not places:
        raise InvalidValueError(f"no folder in {str(folder)!r} has a {_V1} or a {_HARBOR}")
    return tuple(_task(place) for place in places)


def _is_task(folder: Path) -> bool:
    return folder.is_dir() and any((folder / name).is_file() for name in (_V1, _HARBOR))


def _task(place: Path) -> TerminalTask:
    is_v1 = (place / _V1).is_file()
    try:
        content: Json = yaml.safe_load(_text(place / _V1)) if is_v1 else _toml(place / _HARBOR)
        task = (_v1 if is_v1 else _harbor)(place, _whole_table(content))
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
        raise InvalidValueError(f"the task in {str(place)!r} cannot be read: {error}") from error
    try:
        if is_v1:
            return _with_compose(task)
        return _with_environment(task, _table(_whole_table(content), "environment"))
    except TaskUnsupportedError as error:
        return replace(task, unsupported=str(error))


def _v1(place: Path, content: Mapping[str, Json]) -> TerminalTask:
    instruction = content.get("instruction")
    if not isinstance(instruction, str):
        raise InvalidValueError(f"{_V1} in {str(place)!r} has no instruction")
    return TerminalTask(
        id=place.name,
        layout="terminal-bench",
        folder=place,
        instruction=instruction,
        digest=_digest(place),
        difficulty=str(content.get("difficulty", "unknown")),
        category=str(content.get("category", "unknown")),
        tags=_texts(content.get("tags")),
        parser=str(content.get("parser_name", "pytest")),
        agent_s=_seconds(content, "max_agent_timeout_sec", _AGENT_S),
        tests_s=_seconds(content, "max_test_timeout_sec", _TEST_S),
        tests_in_same_shell=content.get("run_tests_in_same_shell") is True,
        solution=_optional_text(place / "solution.sh"),
    )


def _harbor(place: Path, content: Mapping[str, Json]) -> TerminalTask:
    said, agent, verifier = (_table(content, name) for name in ("metadata", "agent", "verifier"))
    return TerminalTask(
        id=place.name,
        layout="harbor",
        folder=place,
        instruction=_text(place / "instruction.md"),
        digest=_digest(place),
        difficulty=str(said.get("difficulty", "unknown")),
        category=str(said.get("category", "unknown")),
        tags=_texts(said.get("tags")),
        parser="reward",
        agent_s=_seconds(agent, "timeout_sec", _HARBOR_TEST_S),
        tests_s=_seconds(verifier, "timeout_sec", _HARBOR_TEST_S),
        tests_env={name: str(value) for name, value in _table(verifier, "env").items()},
        solution=_optional_text(place / "solution" / "solve.sh"),
    )


def _with_compose(task: TerminalTask) -> TerminalTask:
    if task.parser not in PARSERS:
        raise TaskUnsupportedError(f"its results are read by the parser {task.parser!r}")
    if not (task.folder / "run-tests.sh").is_file():
        raise TaskUnsupportedError("it has no run-tests.sh")
    compose = _optional_text(task.folder / _COMPOSE)
    service = service_in(yaml.safe_load(compose) if compose is not None else {"services": {"client": {}}})
    build = service.dockerfile and Build(
        task.folder, service.dockerfile, _HIDDEN, _network(service.has_network)
    )
    limits = ContainerLimits()
    return replace(
        task,
        build=build or None,
        image=service.image,
        env=service.env,
        has_network=service.has_network,
        workdir=service.workdir,
        limits=replace(
            limits,
            cpus=service.cpus or limits.cpus,
            memory_bytes=service.memory_bytes or limits.memory_bytes,
        ),
    )


def _with_environment(task: TerminalTask, given: Mapping[str, Json]) -> TerminalTask:
    """From `[environment]` of task.toml."""
    folder = task.folder / "environment"
    for name in ("docker-compose.yaml", "docker-compose.yml", "compose.yaml"):
        if (folder / name).exists():
            raise TaskUnsupportedError("its environment has a compose file")
    unknown = sorted(set(given) & {"gpus", "tpu", "mcp_servers", "healthcheck", "skills_dir"})
    if unknown or given.get("os", "linux") != "linux":
        raise TaskUnsupportedError(f"its environment asks for {', '.join(unknown) or given.get('os')}")
    if (task.folder / "steps").exists():
        raise TaskUnsupportedError("it has several steps")
    mode = given.get("network_mode", "public" if given.get("allow_internet", True) else "no-network")
    if mode not in ("public", "no-network"):
        raise TaskUnsupportedError(f"its environment has the network mode {mode!r}")
    image = given.get("docker_image")
    limits = ContainerLimits()
    memory, storage = given.get("memory_mb"), given.get("storage_mb")
    build = Build(
        folder,
        network=_network(mode == "public"),
        timeout_s=_seconds(given, "build_timeout_sec", _BUILD_S),
    )
    return replace(
        task,
        build=None if image else build,
        image=str(image) if image else None,
        env={name: str(value) for name, value in _table(given, "env").items()},
        has_network=mode == "public",
        workdir=str(given["workdir"]) if given.get("workdir") else None,
        limits=replace(
            limits,
            cpus=float(str(given.get("cpus") or limits.cpus)),
            memory_bytes=int(str(memory)) * MIB if memory else limits.memory_bytes,
            disk_bytes=int(str(storage)) * MIB if storage else limits.disk_bytes,
        ),
    )


def _network(is_on: bool) -> Literal["none", "on"]:  # noqa: FBT001 # the one thing it turns into words
    return "on" if is_on else "none"


def _digest(place: Path) -> str:
    """Of every file in the folder, so that a changed test is another item."""
    found = hashlib.sha256()
    room = _MOST_TEST_BYTES
    for path in _files(place):
        content = path.read_bytes()
        room -= len(content)
        if room < 0:
            raise ValueError(f"its files have more than {_MOST_TEST_BYTES // MIB} MiB")
        found.update(
            f"{path.relative_to(place).as_posix()}\n{len(content)}\n".encode("utf-8", "surrogateescape")
        )
        found.update(content)
    return found.hexdigest()


def _files(folder: Path) -> Sequence[Path]:
    """Regular files, in order; links could lead anywhere on this machine and are left out."""
    if not folder.is_dir():
        return ()
    found = (one for one in folder.rglob("*") if one.is_file() and not one.is_symlink())
    return sorted(one for one in found if _CACHE not in one.parts)


def _is_executable(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o100)


def _text(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(_MOST_TEXT_BYTES + 1)
    if len(content) > _MOST_TEXT_BYTES:
        raise ValueError(f"{path.name} has more than {_MOST_TEXT_BYTES:,} bytes")
    return content.decode("utf-8")


def _optional_text(path: Path) -> str | None:
    return _text(path) if path.is_file() else None


def _toml(path: Path) -> Json:
    return cast("Json", tomllib.loads(_text(path)))


def _whole_table(content: Json) -> Mapping[str, Json]:
    if not isinstance(content, Mapping):
        raise InvalidValueError("a task is described by a table of keys")
    return content


def _table(content: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    found = content.get(key, {})
    return found if isinstance(found, Mapping) else {}


def _texts(value: Json) -> tuple[str, ...]:
    listed = value if isinstance(value, Sequence) and not isinstance(value, str) else ()
    return tuple(map(str, listed))


def _seconds(content: Mapping[str, Json], key: str, default: float) -> float:
    found = content.get(key)
    if found is None:
        return default
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 < found <= _LONGEST_S:
        raise ValueError(f"{key} must be a number of seconds, not {found!r}")
    return float(found)
