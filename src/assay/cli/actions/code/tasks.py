"""Lists the tasks of the code catalogue."""

from collections import Counter
from pathlib import Path

import typer

from assay.benchmarks.code_catalogue.task import TASKS, unavailable
from assay.benchmarks.code_catalogue.task_folder import Task, load_tasks
from assay.bootstrap import prepared_environments
from assay.cli.output.write import write_json, write_note, write_table
from assay.domain.stats import plural
from assay.installation import prepare_home
from assay.settings import load_settings


def tasks_in(data: str) -> tuple[Task, ...]:
    """The tasks that come with Assay for `official`, else those of a folder; raises UsageError."""
    return load_tasks(TASKS if data == "official" else Path(data))


def list_tasks(data: str, *, as_json: bool) -> None:
    settings = load_settings()
    prepare_home(settings)
    tasks = tasks_in(data)
    missing = unavailable(tasks, prepared_environments(settings))
    reasons = {name: reason for reason, names in missing.items() for name in names}
    if as_json:
        write_json({"tasks": [_document(task, reasons.get(task.id)) for task in tasks]})
        return
    rows = [
        (task.id, task.language, task.type, task.difficulty, "no" if task.id in reasons else "yes")
        for task in tasks
    ]
    write_table(("TASK", "LANGUAGE", "TYPE", "DIFFICULTY", "HERE"), rows, folded=("TASK",))
    counts = Counter(task.language for task in tasks)
    typer.echo(f"\n{plural(len(tasks), 'task')}: {', '.join(f'{n} {name}' for name, n in counts.items())}")
    for reason, names in missing.items():
        write_note(f"{plural(len(names), 'task')} cannot be tested here: {reason}")


def _document(task: Task, reason: str | None) -> dict[str, object]:
    return {
        "task": task.id,
        "title": task.title,
        "language": task.language,
        "type": task.type,
        "difficulty": task.difficulty,
        "tags": list(task.tags),
        "tests": len(task.expected),
        "timeout_seconds": task.timeout_s,
        "is_available": reason is None,
        "reason": reason,
    }
