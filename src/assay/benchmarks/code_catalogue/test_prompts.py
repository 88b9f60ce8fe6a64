from dataclasses import replace

from assay.benchmarks.code_catalogue.prompts import task_prompt
from assay.benchmarks.code_catalogue.task import TASKS
from assay.benchmarks.code_catalogue.task_folder import load_tasks

TASK = replace(
    *load_tasks(TASKS / "python_bugfix_interval_overlap"),
    instructions="# Mend it\n\nPlease.\n",
    workspace={"b.md": "# Title\n\n```\ncode\n```\n", "a.py": "def f():\n    return 1", "empty.txt": ""},
    tests={"tests.py": "secret = 1\n"},
)


def test_every_file_is_shown_as_it_is() -> None:
    text = task_prompt(TASK, include_tests=False, extra={}).text
    assert "# Mend it\n\nPlease.\n\n## How to answer" in text
    assert "### a.py\n\n```python\ndef f():\n    return 1\n```\n\n### b.md" in text
    assert "### empty.txt\n\n```\n```" in text


def test_a_file_with_fences_is_shown_in_longer_ones() -> None:
    text = task_prompt(TASK, include_tests=False, extra={}).text
    assert "### b.md\n\n````markdown\n# Title\n\n```\ncode\n```\n````" in text


def test_tests_are_shown_only_when_asked_for() -> None:
    assert "secret" not in task_prompt(TASK, include_tests=False, extra={}).text
    assert (
        "### tests/tests.py\n\n```python\nsecret = 1\n```"
        in task_prompt(TASK, include_tests=True, extra={}).text
    )
