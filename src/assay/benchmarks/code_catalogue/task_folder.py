"""A task of the catalogue, read from its folder.

```
<id>/metadata.json     what the task is
     instructions.md   what the model is asked
     workspace/        the files it is given
     tests/            tests.<ending> and what they read; never shown unless a run asks for it
     expected.json     for every test, the values that it must observe
     solution/         files that, laid over the workspace, solve the task
     wrong/<name>.patch  changes of the solution that look right and are not
```

Folders in Harbor's layout are read too; see `harbor.py`.
"""

import json
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal, cast, get_args

from assay.benchmarks.code_catalogue import harbor
from assay.benchmarks.code_catalogue.answers.answer import AnswerError
from assay.benchmarks.code_catalogue.answers.apply import apply_answer
from assay.benchmarks.code_catalogue.languages import LANGUAGES
from assay.domain.calls.messages import Json
from assay.domain.errors import InvalidValueError
from assay.domain.json_value import digest

TaskType = Literal["bug_fix", "feature_implementation"]
Difficulty = Literal["easy", "medium", "expert"]

METADATA = "metadata.json"
_TASK_ID = re.compile(r"[A-Za-z0-9_]{1,100}")
_TEST_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_MOST_BYTES = 2 * 1024 * 1024
_MOST_FILES = 500
_LONGEST_TIMEOUT_S = 3600
_KEYS = frozenset(
    {
        *("task_id", "title", "language", "type", "difficulty", "instructions_file", "workspace_dir"),
        *("tests_dir", "eval", "scoring", "tags"),
    }
)


@dataclass(frozen=True, slots=True)
class Task:
    """`folder` is where the tests lie; everything else is what identifies the task."""

    id: str
    title: str
    language: str
    type: TaskType
    difficulty: Difficulty
    tags: tuple[str, ...]
    instructions: str
    timeout_s: float
    workspace: Mapping[str, str]
    tests: Mapping[str, str]
    expected: Mapping[str, tuple[Json, ...]]
    folder: Path
    # Files laid over the workspace; those of a wrong solution are all files.
    solution: Mapping[str, str] = field(default_factory=dict[str, str])
    wrong: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    @property
    def tests_folder(self) -> Path:
        return self.folder / "tests"

    @property
    def tests_digest(self) -> str:
        return digest({"tests": dict(self.tests), "expected": {k: list(v) for k, v in self.expected.items()}})


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong in a task folder; `file` is relative to the folder that was read."""

    file: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}"


class TaskFolderError(InvalidValueError):
    """Lists everything that is wrong in a folder of tasks."""

    def __init__(self, folder: Path, faults: list[Fault]) -> None:
        lines = "".join(f"\n  {one}" for one in faults)
        super().__init__(f"the tasks in {str(folder)!r} cannot be used:{lines}")
        self.faults = tuple(faults)


def load_tasks(folder: Path) -> tuple[Task, ...]:
    """All tasks below a folder, or the one that the folder is; raises TaskFolderError."""
    if not folder.is_dir():
        raise InvalidValueError(f"no folder {str(folder)!r} with tasks")
    places = [folder] if _is_task(folder) else _places(folder)
    tasks: list[Task] = []
    faults: list[Fault] = []
    for place in places:
        reader = _Reader(place, folder)
        task = reader.task()
        faults += reader.faults
        if task is not None and not reader.faults:
            tasks.append(task)
    if not places:
        faults.append(Fault(".", f"no folder with a {METADATA} or a {harbor.TASK_FILE}"))
    if faults:
        raise TaskFolderError(folder, faults)
    return tuple(tasks)


def _is_task(folder: Path) -> bool:
    return any((folder / name).is_file() for name in (METADATA, harbor.TASK_FILE))


def _places(folder: Path) -> list[Path]:
    return sorted(one for one in folder.iterdir() if one.is_dir() and not one.name.startswith((".", "_")))


class _UnreadableError(Exception):
    """A file that cannot be used; the fault has been recorded."""


class _Reader:
    """Reads one task and collects what is wrong with it."""

    def __init__(self, place: Path, root: Path) -> None:
        self._place = place
        self._root = root
        self._is_harbor = not (place / METADATA).is_file() and (place / harbor.TASK_FILE).is_file()
        self._source = harbor.TASK_FILE if self._is_harbor else METADATA
        self.faults: list[Fault] = []

    def task(self) -> Task | None:
        try:
            return self._task()
        except _UnreadableError:
            return None

    def _task(self) -> Task:
        metadata = self._metadata()
        language = self._choice(metadata, "language", tuple(LANGUAGES))
        workspace = self._workspace()
        solution = self._files("solution", is_optional=True)
        task = Task(
            id=self._id(metadata),
            title=self._text(metadata, "title", default=self._place.name.replace("_", " ")),
            language=language,
            type=cast("TaskType", self._choice(metadata, "type", get_args(TaskType))),
            difficulty=cast("Difficulty", self._choice(metadata, "difficulty", get_args(Difficulty))),
            tags=self._tags(metadata),
            instructions=self._read(self._place / self._instructions_file(metadata)),
            timeout_s=self._timeout_s(metadata),
            workspace=workspace,
            tests=self._files("tests"),
            expected=self._expected(),
            folder=self._place,
            solution=solution,
            wrong=self._wrong(workspace, solution),
        )
        tests_file = LANGUAGES[language].tests_file
        if tests_file not in task.tests:
            self._fault(f"tests/{tests_file}", f"missing: the tests of a task in {language} are in this file")
        for name in task.expected:
            if name not in task.tests.get(tests_file, name):
                self._fault("expected.json", f"names the test {name!r}, which tests/{tests_file} has not")
        return task

    def _metadata(self) -> Mapping[str, Json]:
        if self._is_harbor:
            return self._harbor_metadata()
        found = self._json(self._place / self._source)
        if not isinstance(found, Mapping):
            raise self._stop(self._source, "a JSON object was expected")
        for key in sorted(found.keys() - _KEYS):
            self._fault(self._source, f"unknown key {key!r}")
        fixed = {"workspace_dir": "workspace", "tests_dir": "tests"}
        for key, name in fixed.items():
            if found.get(key, name) != name:
                self._fault(self._source, f"key {key!r} must be {name!r}")
        return found

    def _harbor_metadata(self) -> Mapping[str, Json]:
        text = self._read(self._place / harbor.TASK_FILE)
        try:
            found = harbor.metadata_of(text, self._place)
        except ValueError as error:
            raise self._stop(harbor.TASK_FILE, f"not valid TOML: {error}") from error
        if found["language"] is None:
            reason = (
                "no tests.<ending> of one language is here; test.sh is not run,"
                " see docs/how-to/write-code-tasks.md"
            )
            raise self._stop("tests", reason)
        return found

    def _workspace(self) -> Mapping[str, str]:
        if not self._is_harbor:
            return self._files("workspace")
        given = self._files("environment")
        return {path: text for path, text in given.items() if path not in harbor.NOT_GIVEN}

    def _instructions_file(self, metadata: Mapping[str, Json]) -> str:
        name = self._text(metadata, "instructions_file", default="instructions.md")
        if "/" in name or name in {".", ".."}:
            raise self._stop(
                self._source, f"key 'instructions_file' must name a file beside it, not {name!r}"
            )
        return name

    def _id(self, metadata: Mapping[str, Json]) -> str:
        task_id = self._text(metadata, "task_id")
        if not _TASK_ID.fullmatch(task_id):
            self._fault(self._source, "key 'task_id' must be 1 to 100 letters, digits and underscores")
        elif task_id != self._place.name:
            self._fault(self._source, f"key 'task_id' must be the name of the folder, not {task_id!r}")
        return task_id

    def _timeout_s(self, metadata: Mapping[str, Json]) -> float:
        rules = metadata.get("eval", {})
        if not isinstance(rules, Mapping):
            raise self._stop(self._source, "key 'eval' must be an object")
        if "command" in rules:
            self._fault(
                self._source,
                "key 'eval.command' cannot be used: an exit status proves nothing; tests are functions that"
                " report values, see docs/how-to/write-code-tasks.md",
            )
        for key in sorted(rules.keys() - {"command", "timeout_seconds"}):
            self._fault(self._source, f"unknown key 'eval.{key}'")
        seconds = rules.get("timeout_seconds", 60)
        if (
            isinstance(seconds, bool)
            or not isinstance(seconds, int | float)
            or not 0 < seconds <= _LONGEST_TIMEOUT_S
        ):
            raise self._stop(
                self._source, f"key 'eval.timeout_seconds' must be a number up to {_LONGEST_TIMEOUT_S}"
            )
        return float(seconds)

    def _tags(self, metadata: Mapping[str, Json]) -> tuple[str, ...]:
        found = metadata.get("tags", [])
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            raise self._stop(self._source, "key 'tags' must be a list of texts")
        return tuple(cast("list[str]", found))

    def _expected(self) -> Mapping[str, tuple[Json, ...]]:
        name = "expected.json"
        found = self._json(self._place / name)
        if not isinstance(found, Mapping) or not found:
            raise self._stop(name, "an object with the values of every test was expected")
        for test, values in found.items():
            if not _TEST_NAME.fullmatch(test):
                self._fault(name, f"{test!r} is not the name of a test")
            if not isinstance(values, list) or not values:
                raise self._stop(name, f"test {test!r}: a list with at least one value was expected")
        return {test: tuple(cast("list[Json]", values)) for test, values in found.items()}

    def _wrong(
        self, workspace: Mapping[str, str], solution: Mapping[str, str]
    ) -> Mapping[str, Mapping[str, str]]:
        """The files of the workspace for each wrong solution."""
        folder = self._place / "wrong"
        if not folder.is_dir():
            return {}
        solved = {path: text.encode() for path, text in {**workspace, **solution}.items()}
        found: dict[str, Mapping[str, str]] = {}
        for path in sorted(folder.iterdir()):
            if path.suffix != ".patch":
                raise self._stop(path, "a wrong solution is a patch of the solution: <name>.patch")
            try:
                changed = apply_answer(self._read(path), solved).changed
            except AnswerError as error:
                raise self._stop(path, f"does not apply to the solution: {error.message}") from error
            files = {name: content for name, content in {**solved, **changed}.items() if content is not None}
            found[path.stem] = {name: content.decode() for name, content in files.items()}
        return found

    def _files(self, name: str, *, is_optional: bool = False) -> Mapping[str, str]:
        folder = self._place / name
        if not folder.is_dir():
            if is_optional:
                return {}
            raise self._stop(name, "the folder is missing")
        found: dict[str, str] = {}
        room = _MOST_BYTES
        for path in _walk(folder):
            if path.is_symlink() or not path.is_file():
                raise self._stop(path, "links and special files cannot be part of a task")
            room -= path.stat().st_size
            if room < 0 or len(found) >= _MOST_FILES:
                raise self._stop(name, f"more than {_MOST_FILES} files or {_MOST_BYTES} bytes")
            found[path.relative_to(folder).as_posix()] = self._read(path)
        return found

    def _json(self, path: Path) -> Json:
        text = self._read(path)
        try:
            return cast("Json", json.loads(text))
        except (ValueError, RecursionError) as error:
            raise self._stop(path, f"not valid JSON: {error}") from error

    def _read(self, path: Path) -> str:
        try:
            # Models are sent what is read: a task from elsewhere must not lead to other files.
            if not path.resolve().is_relative_to(self._place.resolve()):
                raise self._stop(path, "leads out of the folder of the task")
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):
                raise self._stop(path, "a file was expected")
            if found.st_size > _MOST_BYTES:
                raise self._stop(path, f"larger than {_MOST_BYTES} bytes")
            # Bytes, since reading text would change line endings.
            return path.read_bytes().decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._stop(path, f"not UTF-8: {error.reason} at byte {error.start}") from error
        except OSError as error:
            raise self._stop(path, error.strerror or "cannot be read") from error

    def _text(self, metadata: Mapping[str, Json], key: str, *, default: str | None = None) -> str:
        found = metadata.get(key, default)
        if not isinstance(found, str) or not found:
            raise self._stop(self._source, f"key {key!r} must be a text")
        return found

    def _choice(self, metadata: Mapping[str, Json], key: str, known: tuple[str, ...]) -> str:
        found = self._text(metadata, key)
        if found not in known:
            raise self._stop(self._source, f"key {key!r} must be one of {', '.join(known)}, not {found!r}")
        return found

    def _fault(self, file: Path | str, reason: str) -> None:
        path = file if isinstance(file, Path) else self._place / file
        self.faults.append(Fault(path.relative_to(self._root).as_posix(), reason))

    def _stop(self, file: Path | str, reason: str) -> _UnreadableError:
        self._fault(file, reason)
        return _UnreadableError(reason)


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            if path.name != "__pycache__":
                yield from _walk(path)
        else:
            yield path


def files_digest(files: Mapping[str, str]) -> str:
    return sha256(json.dumps(dict(sorted(files.items()))).encode()).hexdigest()
