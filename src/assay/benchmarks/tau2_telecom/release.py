"""The official files, in a folder: tasks, splits, databases, policies, and guidelines for the user."""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from assay.benchmarks.tau2_telecom.accounts import Record, TelecomDB
from assay.benchmarks.tau2_telecom.environment import Environment
from assay.benchmarks.tau2_telecom.phone_state import TelecomUserDB
from assay.benchmarks.tau2_telecom.prompts import agent_system, policy_text, user_system
from assay.benchmarks.tau2_telecom.tasks import TelecomTask
from assay.domain.benchmark import Row
from assay.domain.calls.messages import Json
from assay.domain.errors import InvalidValueError
from assay.domain.json_value import digest

# Of the files named first that are there, the first is read; the authors' repository has them in two folders.
_PLACES = ("", "data/tau2/domains/telecom")
_GUIDELINES = (
    "simulation_guidelines_tools.md",
    "user_simulation_guidelines_tools.md",
    "../../user_simulator/simulation_guidelines_tools.md",
)
_POLICIES = {"manual": "tech_support_manual.md", "workflow": "tech_support_workflow.md"}
_MOST_BYTES = 128 << 20
_MOST_TASKS = 20_000
_Database = TypeVar("_Database", bound=Record)


@dataclass(frozen=True, slots=True)
class World:
    """What every task of a release shares."""

    db: TelecomDB
    user_db: TelecomUserDB
    policy: str
    guidelines: str

    @property
    def agent_prompt(self) -> str:
        return agent_system(self.policy)

    def user_prompt(self, scenario: str) -> str:
        return user_system(self.guidelines, scenario)

    def prepared(self, task: TelecomTask) -> Environment:
        """An environment of its own, as the task begins; raises DataError if the task cannot be set up."""
        environment = Environment(self.db, self.user_db)
        for one in task.setup:
            environment.run(one.requestor, one.name, one.arguments)
        return environment

    def digest(self) -> str:
        databases: list[Json] = [self.db.model_dump_json(), self.user_db.model_dump_json()]
        return digest([*databases, self.policy, self.guidelines])


@dataclass(frozen=True, slots=True)
class Release:
    world: World
    rows: tuple[Row, ...]


def load_release(folder: Path, *, split: str, policy: str) -> Release:
    """Raises InvalidValueError that says which file is missing or wrong."""
    place = next((one for one in (folder / name for name in _PLACES) if (one / "db.toml").is_file()), None)
    if place is None:
        raise InvalidValueError(
            f"{str(folder)!r} has no 'db.toml': name the folder data/tau2/domains/telecom of"
            " github.com/sierra-research/tau2-bench, or its whole checkout"
        )
    world = World(
        db=_database(place / "db.toml", TelecomDB),
        user_db=_database(place / "user_db.toml", TelecomUserDB),
        policy=policy_text(_read(place / "main_policy.md"), _read(place / _POLICIES[policy])),
        guidelines=_read(_first(place, _GUIDELINES)),
    )
    return Release(world, _split_rows(place, split))


def _split_rows(place: Path, split: str) -> tuple[Row, ...]:
    splits = _json(place / "split_tasks.json")
    wanted = splits.get(split) if isinstance(splits, Mapping) else None
    if not isinstance(wanted, Sequence) or isinstance(wanted, str) or not wanted:
        raise InvalidValueError(f"{str(place / 'split_tasks.json')!r} has no list {split!r} of tasks")
    found = _rows(place)
    missing = [str(one) for one in wanted if str(one) not in found]
    if missing:
        raise InvalidValueError(
            f"{len(missing)} of the {len(wanted)} tasks of {split!r} are not in the files of"
            f" {str(place)!r}: {missing[0]!r}"
        )
    return tuple(found[str(one)] for one in wanted)


def _rows(place: Path) -> dict[str, Row]:
    """Those of tasks.json, or of all files of tasks if there is none by that name."""
    whole = place / "tasks.json"
    found: dict[str, Row] = {}
    for file in [whole] if whole.is_file() else sorted(place.glob("tasks_*.json")):
        for row in _tasks(file):
            name = str(row.get("id"))
            if found.setdefault(name, row) != row:
                raise InvalidValueError(f"the task {name!r} is in two files of {str(place)!r}, and differs")
    if not found:
        raise InvalidValueError(f"{str(place)!r} has no 'tasks.json'")
    return found


def _tasks(file: Path) -> Iterator[Row]:
    rows = _json(file)
    if not isinstance(rows, Sequence) or isinstance(rows, str) or len(rows) > _MOST_TASKS:
        raise InvalidValueError(f"{str(file)!r} is not a list of at most {_MOST_TASKS:,} tasks")
    for row in rows:
        if not isinstance(row, Mapping):
            raise InvalidValueError(f"{str(file)!r} has something that is no task")
        yield row


def _database(file: Path, kind: type[_Database]) -> _Database:
    try:
        return kind.model_validate(tomllib.loads(_read(file)))
    except tomllib.TOMLDecodeError as error:
        raise InvalidValueError(f"{str(file)!r} is not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidValueError(f"{str(file)!r}: {where}: {first['msg']}") from error


def _json(file: Path) -> Json:
    try:
        found: Json = json.loads(_read(file))
    except (ValueError, RecursionError) as error:
        raise InvalidValueError(f"{str(file)!r} is not JSON: {error}") from error
    return found


def _first(place: Path, names: Sequence[str]) -> Path:
    return next((place / name for name in names if (place / name).is_file()), place / names[0])


def _read(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise InvalidValueError(f"{str(file)!r} is missing or cannot be read") from error
    if len(content) > _MOST_BYTES:
        raise InvalidValueError(f"{str(file)!r} has more than {_MOST_BYTES:,} bytes")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidValueError(f"{str(file)!r} is not UTF-8") from error
