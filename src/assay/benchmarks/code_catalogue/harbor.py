"""Harbor's layout of a task: `task.toml`, `instruction.md`, and the given files in `environment/`.

Only the layout is Harbor's: the tests are those of this catalogue, in `tests/tests.<ending>` and
`expected.json`. A `tests/test.sh` is not run, since the code under test could write its reward.
"""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from assay.benchmarks.code_catalogue.languages import LANGUAGES
from assay.domain.calls.messages import Json

TASK_FILE = "task.toml"
# Files that build the environment of an agent; a model is not shown them.
NOT_GIVEN = frozenset({"Dockerfile", "docker-compose.yaml", ".dockerignore"})
_DIFFICULTIES = {"hard": "expert"}


def metadata_of(task_toml: str, place: Path) -> dict[str, Json]:
    """The keys of `metadata.json`, from those of `task.toml`; raises ValueError if that is no TOML."""
    content = cast("Mapping[str, Json]", tomllib.loads(task_toml))
    said = _table(content, "metadata")
    difficulty = said.get("difficulty", "medium")
    found: dict[str, Json] = {
        "task_id": place.name,
        "title": said.get("title", place.name.replace("_", " ")),
        "language": said.get("language") or _language(place / "tests"),
        "type": said.get("type", "feature_implementation"),
        "difficulty": _DIFFICULTIES.get(str(difficulty), difficulty),
        "tags": said.get("tags", []),
        "instructions_file": "instruction.md",
        "workspace_dir": "environment",
    }
    timeout_s = _table(content, "verifier").get("timeout_sec")
    return found if timeout_s is None else {**found, "eval": {"timeout_seconds": timeout_s}}


def _table(content: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    found = content.get(key, {})
    return found if isinstance(found, Mapping) else {}


def _language(tests: Path) -> str | None:
    """The one language that the name of the tests' file belongs to."""
    known = [name for name, one in LANGUAGES.items() if (tests / one.tests_file).is_file() and name != "html"]
    return known[0] if len(known) == 1 else None
