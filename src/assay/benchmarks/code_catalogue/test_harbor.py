import json
import os
from pathlib import Path

import pytest

from assay.benchmarks.code_catalogue.task_folder import TaskFolderError, load_tasks

TASK_TOML = """
version = "1.0"

[metadata]
author_name = "somebody"
difficulty = "hard"
category = "parsing"
tags = ["text"]

[verifier]
timeout_sec = 30.0

[environment]
docker_image = "example/image"
"""


def harbor_task(folder: Path) -> Path:
    place = folder / "count_words"
    files = {
        "task.toml": TASK_TOML,
        "instruction.md": "# Count words\n",
        "environment/Dockerfile": "FROM scratch\n",
        "environment/src/words.py": "def count(text):\n    raise NotImplementedError\n",
        "tests/tests.py": "from src.words import count\ndef test_count(observe): observe(count('a b'))\n",
        "expected.json": '{"test_count": [2]}',
        "solution/src/words.py": "def count(text):\n    return len(text.split())\n",
    }
    for name, text in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place


def faults(folder: Path) -> list[str]:
    with pytest.raises(TaskFolderError) as raised:
        load_tasks(folder)
    return [str(one) for one in raised.value.faults]


def test_a_folder_in_harbors_layout_is_a_task(tmp_path: Path) -> None:
    harbor_task(tmp_path)
    [task] = load_tasks(tmp_path)
    assert (task.id, task.title, task.language) == ("count_words", "count words", "python")
    assert (task.type, task.difficulty, task.tags) == ("feature_implementation", "expert", ("text",))
    assert task.timeout_s == 30.0
    assert task.instructions == "# Count words\n"
    assert list(task.workspace) == ["src/words.py"]
    assert task.expected == {"test_count": (2,)}


def test_tests_that_judge_themselves_are_refused(tmp_path: Path) -> None:
    place = harbor_task(tmp_path)
    (place / "tests/tests.py").rename(place / "tests/test.sh")
    [fault] = faults(tmp_path)
    assert fault.startswith(
        "count_words/tests: no tests.<ending> of one language is here; test.sh is not run"
    )


def test_what_is_wrong_in_task_toml_is_named(tmp_path: Path) -> None:
    place = harbor_task(tmp_path)
    (place / "task.toml").write_text(TASK_TOML.replace('"hard"', '"tricky"').replace("30.0", '"soon"'))
    found = faults(tmp_path)
    assert found[0].startswith("count_words/task.toml: key 'difficulty' must be one of easy, medium, expert")
    (place / "task.toml").write_text("[metadata")
    assert faults(tmp_path)[0].startswith("count_words/task.toml: not valid TOML")


@pytest.mark.parametrize("file", ["instruction.md", "environment", "tests", "expected.json", "task.toml"])
def test_a_task_does_not_lead_to_other_files(tmp_path: Path, file: str) -> None:
    place, elsewhere = harbor_task(tmp_path), tmp_path.parent / f"elsewhere-{tmp_path.name}"
    (place / file).rename(elsewhere)
    (place / file).symlink_to(elsewhere)
    assert any("leads out of the folder of the task" in one for one in faults(tmp_path))


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    place = harbor_task(tmp_path)
    (place / "instruction.md").unlink()
    os.mkfifo(place / "instruction.md")
    assert faults(tmp_path) == ["count_words/instruction.md: a file was expected"]


@pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "sub/file.md", ".."])
def test_instructions_are_a_file_of_the_task(tmp_path: Path, name: str) -> None:
    place = harbor_task(tmp_path)
    (place / "task.toml").rename(place / "unused")
    metadata = {"task_id": place.name, "language": "python", "type": "bug_fix", "difficulty": "easy"}
    (place / "metadata.json").write_text(json.dumps({**metadata, "instructions_file": name}))
    (place / "environment").rename(place / "workspace")
    found = f"count_words/metadata.json: key 'instructions_file' must name a file beside it, not {name!r}"
    assert faults(tmp_path) == [found]
