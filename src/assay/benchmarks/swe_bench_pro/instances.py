"""Instances read from a folder: the rows, and the scripts that the authors keep for each.

```
instances.jsonl, or helper_code/sweap_eval_full_v2.jsonl
run_scripts/<instance>/run_script.sh, parser.py
dockerfiles/base_dockerfile/<instance>/Dockerfile, dockerfiles/instance_dockerfile/…
images/<image_folder>/Dockerfile     for rows with an image_folder: their image is built here
```
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.benchmarks.swe_bench_pro.images import image_uri
from assay.benchmarks.swe_bench_pro.lists import names_in
from assay.domain.benchmark import Row
from assay.domain.calls.messages import Json
from assay.domain.errors import DataError, InvalidValueError
from assay.domain.json_value import digest
from assay.domain.programs.containers import Build

_ROW_FILES = ("instances.jsonl", "helper_code/sweap_eval_full_v2.jsonl")
_MOST_LINE_BYTES = 64 * 1024 * 1024
_MOST_SCRIPT_BYTES = 1024 * 1024
_MOST_INSTANCES = 10_000


@dataclass(frozen=True, slots=True)
class Instance:
    """`fault` says why the instance cannot be evaluated; then its lists are empty."""

    id: str
    repo: str
    language: str
    base_commit: str
    problem: str
    patch: str
    setup: str
    test_files: tuple[str, ...]
    fail_to_pass: tuple[str, ...]
    pass_to_pass: tuple[str, ...]
    run_script: str
    parser: str
    env_lines: tuple[str, ...]
    image: str
    build: Build | None
    has_network: bool
    tests_s: float = 3600.0
    fault: str | None = None

    @property
    def digest(self) -> str:
        """Of everything that the verdict depends on."""
        return digest(
            {
                "commit": self.base_commit,
                "setup": self.setup,
                "tests": list(self.test_files),
                "required": [list(self.fail_to_pass), list(self.pass_to_pass)],
                "scripts": [self.run_script, self.parser, *self.env_lines],
                "image": self.image,
            }
        )


def load_instances(folder: Path) -> tuple[Instance, ...]:
    """Raises InvalidValueError that names what is wrong with the folder."""
    file = next((folder / name for name in _ROW_FILES if (folder / name).is_file()), None)
    if file is None:
        raise InvalidValueError(f"{str(folder)!r} has no {_ROW_FILES[0]} with the rows of the data set")
    found = tuple(_instance(row, folder) for row in _rows(file))
    if not found:
        raise InvalidValueError(f"{str(file)!r} has no rows")
    return found


def _rows(file: Path) -> Iterator[Row]:
    with file.open("rb") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(_MOST_LINE_BYTES), b""), start=1):
            if not line.strip():
                continue
            try:
                row: Json = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise InvalidValueError(f"line {number} of {str(file)!r} is not JSON: {error}") from error
            if not isinstance(row, Mapping) or number > _MOST_INSTANCES:
                raise InvalidValueError(f"line {number} of {str(file)!r} is not an instance")
            yield row


def _instance(row: Row, folder: Path) -> Instance:
    instance_id, repo = str(row.get("instance_id", "")), str(row.get("repo", ""))
    scripts = folder / "run_scripts" / instance_id
    fault: str | None = None
    lists: dict[str, tuple[str, ...]] = dict.fromkeys(("fail", "pass", "files"), ())
    run_script = parser = image = ""
    try:
        _require_name(instance_id)
        run_script, parser = _text(scripts / "run_script.sh"), _text(scripts / "parser.py")
        image = image_uri(instance_id, _required(repo))
        lists = {
            "fail": names_in(_column(row, "fail_to_pass"), where="fail_to_pass"),
            "pass": names_in(_column(row, "pass_to_pass"), where="pass_to_pass"),
            "files": names_in(row.get("selected_test_files_to_run"), where="selected_test_files_to_run"),
        }
        if not lists["fail"] and not lists["pass"]:
            fault = "no test is required"
    except (DataError, InvalidValueError) as error:
        fault = error.message
    return Instance(
        id=instance_id,
        repo=repo,
        language=str(row.get("repo_language", "unknown")),
        base_commit=str(row.get("base_commit", "")),
        problem=problem_text(row),
        patch=str(row.get("patch") or ""),
        setup=(str(row.get("before_repo_set_cmd") or "").strip().split("\n") or [""])[-1],
        test_files=lists["files"],
        fail_to_pass=lists["fail"],
        pass_to_pass=lists["pass"],
        run_script=run_script,
        parser=parser,
        env_lines=_env_lines(folder, instance_id) if fault is None else (),
        image=image,
        build=_build(row, folder),
        has_network=row.get("network") != "none",
        fault=fault,
    )


def problem_text(row: Row) -> str:
    """What an agent is told, put together as by the official script."""
    statement, requirements, interface = (
        row.get(name) or "" for name in ("problem_statement", "requirements", "interface")
    )
    return f"{statement}\n\nRequirements:\n{requirements}\n\nNew interfaces introduced:\n{interface}"


def _column(row: Row, name: str) -> Json:
    """The data set has these columns in small letters, its description in capitals."""
    return row[name] if name in row else row.get(name.upper())


def _build(row: Row, folder: Path) -> Build | None:
    name = row.get("image_folder")
    if not isinstance(name, str):
        return None
    _require_name(name)
    return Build(folder / "images" / name, network="none" if row.get("network") == "none" else "on")


def _env_lines(folder: Path, instance_id: str) -> tuple[str, ...]:
    """The variables of both Dockerfiles, as the official script exports them."""
    found: list[str] = []
    for kind in ("base_dockerfile", "instance_dockerfile"):
        file = folder / "dockerfiles" / kind / instance_id / "Dockerfile"
        if file.is_file():
            lines = (line.strip() for line in _text(file).split("\n"))
            found += [line.replace("ENV", "export", 1) for line in lines if line.startswith("ENV")]
    return tuple(found)


def _require_name(name: str) -> None:
    """Raises InvalidValueError for a name that leads out of the folder."""
    if not name or "/" in name or "\\" in name or name in (".", ".."):
        raise InvalidValueError(f"{name!r} is not the name of a folder")


def _required(repo: str) -> str:
    if repo.count("/") != 1:
        raise InvalidValueError(f"the repository {repo!r} is not named owner/name")
    return repo


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_SCRIPT_BYTES + 1)
    except OSError as error:
        raise InvalidValueError(f"{path.parent.name}/{path.name} is missing") from error
    if len(content) > _MOST_SCRIPT_BYTES:
        raise InvalidValueError(f"{path.name} has more than {_MOST_SCRIPT_BYTES:,} bytes")
    return content.decode("utf-8", "replace")
