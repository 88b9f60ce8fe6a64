"""Files of Janus tasks: read, checked against the published schema, and handed to the benchmarks."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

import jsonschema_rs

from assay.domain.benchmark import Card, Row
from assay.domain.calls.messages import Json
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.domain.json_value import digest, has_too_many_values
from assay.engine.ports import BenchmarkData

DATA = Path(__file__).parent / "data"
SCHEMA = DATA / "task.schema.json"
SPLIT = "test"
# Where our own tasks are the data.
PACKAGED = ("official", "demo")
_MOST_BYTES = 64 * 1024 * 1024
_SHOWN_FAULTS = 20


@dataclass(frozen=True, slots=True)
class TaskTables:
    """The tasks of one benchmark."""

    tasks: tuple[Row, ...]

    def rows(self, split: str) -> Iterator[Row]:
        if split != SPLIT:
            raise DataMissingError(f"Janus tasks have no split {split!r}")
        yield from self.tasks


def task_data(card: Card, where: str, task_types: Collection[str]) -> BenchmarkData:
    """Our own tasks, as `official` and as `demo`; or those of a file or folder of the user's."""
    if where in PACKAGED:
        tasks = _packaged(card.source.repository, frozenset(task_types))
        revision = f"included:{card.version}"
    else:
        path = Path(where).expanduser()
        path = path / f"{card.source.repository}.json" if path.is_dir() else path
        tasks = read_tasks(path, task_types)
        revision = f"file:{path.resolve().name}"
    return BenchmarkData(TaskTables(tasks), revision, digest(tasks))


@cache
def _packaged(name: str, task_types: frozenset[str]) -> tuple[Row, ...]:
    return read_tasks(DATA / f"{name}.json", task_types)


def read_tasks(path: Path, task_types: Collection[str]) -> tuple[Row, ...]:
    """The tasks of these types; raises InvalidValueError with every fault of the file."""
    content = _content(path)
    faults = [*_schema_faults(content)] or [*_contradictions(cast("Mapping[str, Json]", content))]
    if faults:
        more = len(faults) - _SHOWN_FAULTS
        shown = [*faults[:_SHOWN_FAULTS], *([f"and {more:,} more"] if more > 0 else [])]
        raise InvalidValueError(
            f"{str(path)!r} is no file of Janus tasks:" + "".join(f"\n  {one}" for one in shown)
        )
    tasks = [task for task in _tasks(content) if task["task_type"] in task_types]
    if not tasks:
        wanted = ", ".join(sorted(task_types))
        raise InvalidValueError(f"{str(path)!r} holds no task of the types {wanted}")
    return tuple(tasks)


def _content(path: Path) -> Json:
    if not path.is_file():
        raise DataMissingError(f"no file {str(path)!r} with Janus tasks")
    if path.stat().st_size > _MOST_BYTES:
        raise InvalidValueError(f"{str(path)!r} is larger than {_MOST_BYTES // 1024**2} MiB")
    data = path.read_bytes()
    if has_too_many_values(data):
        raise InvalidValueError(f"{str(path)!r} has too many values")
    try:
        return cast("Json", json.loads(data))
    except (ValueError, RecursionError) as error:
        raise InvalidValueError(f"{str(path)!r} is not valid JSON: {error}") from error


@cache
def _validator() -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(json.loads(SCHEMA.read_text(encoding="utf-8")))


def _schema_faults(content: Json) -> Iterator[str]:
    for error in _validator().iter_errors(content):
        match error.instance_path:
            case ["items" | "tasks" as part, int(position), *field]:
                where = _place(cast("Mapping[str, Sequence[Json]]", content)[part][position], position, field)
            case field:
                where = f"field {_path(field)}" if field else "the file"
        yield f"{where}: {error.message}"


def _contradictions(content: Mapping[str, Json]) -> Iterator[str]:
    """What a schema cannot say."""
    tasks = _tasks(content)
    seen: set[Json] = set()
    for position, task in enumerate(tasks):
        if task["id"] in seen:
            yield f"{_place(task, position, ['id'])}: another item has this id"
        seen.add(task["id"])
    metadata = content.get("metadata")
    if not isinstance(metadata, Mapping):
        return
    if metadata["total_items"] != len(tasks):
        yield f"field 'metadata/total_items': there are {len(tasks)} items, not {metadata['total_items']}"
    counts = dict(Counter(str(task["task_type"]) for task in tasks))
    if metadata["categories"] != counts:
        yield f"field 'metadata/categories': there are {counts}"


def _tasks(content: Json) -> Sequence[Row]:
    parts = cast("Mapping[str, Sequence[Row]]", content)
    return parts.get("items") or parts["tasks"]


def _place(task: Json, position: int, field: Sequence[str | int]) -> str:
    named = task.get("id") if isinstance(task, Mapping) else None
    item = f"item {named!r}" if isinstance(named, str) else f"item {position + 1}"
    return f"{item}, field {_path(field)}" if field else item


def _path(field: Sequence[str | int]) -> str:
    return repr("/".join(map(str, field)))
