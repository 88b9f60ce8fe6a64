"""Every task of the code catalogue can be solved, and planted wrong solutions are found out."""

from dataclasses import replace

from assay.benchmarks.code_catalogue.selftest import selftest
from assay.benchmarks.code_catalogue.task import TASKS
from assay.benchmarks.code_catalogue.task_folder import Task, load_tasks
from assay.domain.benchmark import Services

AT_ONCE = 2
# A compiler takes seconds for each; `assay code selftest` tries all of them.
COMPILED = ("cpp", "go", "rust")
WRONG_COMPILED = 1


def quick(task: Task) -> Task:
    if task.language not in COMPILED:
        return task
    return replace(task, wrong=dict(list(task.wrong.items())[:WRONG_COMPILED]))


async def test_solutions_pass_and_nothing_else_does(code_services: Services) -> None:
    tasks = [quick(task) for task in load_tasks(TASKS)]
    sandbox, prepared = code_services.required_sandbox(), code_services.required_prepared()
    checks = [one async for one in selftest(tasks, sandbox=sandbox, prepared=prepared, at_once=AT_ONCE)]
    assert len(checks) == sum(2 + len(task.wrong) for task in tasks)
    assert {f"{one.task.id}, {one.files}": one.ran.tests for one in checks if not one.is_right} == {}
