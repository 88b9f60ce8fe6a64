"""The tasks that come with Assay, without running them; tests/contracts shows that they work."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from assay.benchmarks.code_catalogue.languages import LANGUAGES
from assay.benchmarks.code_catalogue.task import TASKS, unavailable
from assay.benchmarks.code_catalogue.task_folder import Task, load_tasks
from assay.domain.programs.sandbox import Mount
from assay.domain.programs.toolchain import Toolchain

TASKS_BY_ID = {task.id: task for task in load_tasks(TASKS)}
LEAST_WRONG, LEAST_TESTS, LEAST_CHARACTERS = 3, 4, 2
# Observations that somebody could guess without having solved the task.
GUESSABLE = re.compile(
    r'true|false|null|"(?:no )?error"|"(?:no )?panic"|"threw \w+( error)?"|"timed out"|[][, ]{3,}'
)

every_task = pytest.mark.parametrize(
    "task", [pytest.param(task, id=name) for name, task in TASKS_BY_ID.items()]
)

CATALOGUE = """
cpp_expert_sparse_matrix feature expert
cpp_expert_thread_pool bug expert
go_bugfix_interval_overlap bug easy
go_expert_lru_cache feature expert
go_expert_scheduler feature expert
go_expert_token_bucket feature expert
go_feature_todo_service feature medium
go_feature_wordcount feature medium
html_expert_form_validator feature expert
html_expert_heatmap_renderer feature expert
javascript_bugfix_titlecase bug easy
javascript_expert_markdown_toc feature expert
javascript_expert_promise_pool feature expert
javascript_expert_worker_scheduler feature expert
javascript_feature_cli_todo feature medium
javascript_feature_wait_for feature medium
python_bugfix_interval_overlap bug easy
python_bugfix_prime_checker bug medium
python_expert_async_cache feature expert
python_expert_time_series_interpolator feature expert
python_expert_workflow_scheduler feature expert
python_feature_batched_iterator feature medium
python_feature_cli_reporter feature medium
python_feature_moving_average feature medium
python_tool_weather_cli feature medium
rust_bugfix_prime_checker bug easy
rust_expert_async_rate_limiter feature expert
rust_expert_lru_cache feature expert
rust_expert_time_bucketer feature expert
rust_feature_chunk_iter feature medium
rust_feature_config_parser feature medium
"""
TYPES = {"feature": "feature_implementation", "bug": "bug_fix"}


@pytest.mark.parametrize(
    ("folder", "is_shown"),
    [
        (Path("/usr/src/app/tasks/mine"), True),
        (Path("/opt/conda/share/tasks/mine"), True),
        (Path("/srv/tasks/mine"), False),
        (TASKS / "go_expert_lru_cache", False),
    ],
)
def test_tasks_where_programs_could_read_what_is_expected_are_not_run(
    folder: Path, *, is_shown: bool
) -> None:
    class Prepared:
        def toolchain(self, name: str, *, is_primed: bool = False) -> Toolchain:
            _ = is_primed
            return Toolchain(name, "1", "/opt/node/bin/node", (Mount("/opt/conda", "/opt/node"),))

    task = replace(TASKS_BY_ID["javascript_bugfix_titlecase"], folder=folder)
    found = unavailable([task], cast("Any", Prepared()))
    assert list(found.values()) == ([[task.id]] if is_shown else [])
    assert all("move it" in reason for reason in found)


def test_the_catalogue_is_complete() -> None:
    rows = [line.split() for line in CATALOGUE.split("\n") if line]
    assert {(one.id, one.type, one.difficulty) for one in TASKS_BY_ID.values()} == {
        (name, TYPES[kind], difficulty) for name, kind, difficulty in rows
    }
    assert all(one.language == one.id.partition("_")[0] for one in TASKS_BY_ID.values())


@every_task
def test_a_task_has_solution_wrong_solutions_and_tests_enough(task: Task) -> None:
    assert task.solution
    assert len(task.wrong) >= LEAST_WRONG
    assert len(task.expected) >= LEAST_TESTS
    for files in (task.solution, *task.wrong.values()):
        assert {**task.workspace, **files} != task.workspace


@every_task
def test_no_test_can_be_passed_by_guessing(task: Task) -> None:
    for name, values in task.expected.items():
        said = GUESSABLE.sub("", json.dumps(values))
        assert len(said) >= LEAST_CHARACTERS, name


@every_task
def test_the_instructions_do_not_show_the_tests(task: Task) -> None:
    assert task.instructions.startswith("# ")
    tests = task.tests[LANGUAGES[task.language].tests_file]
    code = [line.strip() for line in tests.split("\n") if re.search(r"observe|\bo\.", line)]
    assert not [line for line in code if len(line) > 20 and line in task.instructions]
