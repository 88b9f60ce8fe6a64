"""Checks tasks: their files, their solutions, and whether their tests find wrong solutions."""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import typer

from assay.benchmarks.code_catalogue.selftest import Check, selftest
from assay.benchmarks.code_catalogue.task import unavailable
from assay.benchmarks.code_catalogue.task_folder import Task, load_tasks
from assay.bootstrap import code_sandbox, prepared_environments
from assay.cli.actions.code.tasks import tasks_in
from assay.cli.event_loop import run_async
from assay.cli.exit_codes import EXIT_FAILED
from assay.cli.output.write import duration_text, write_json, write_note, write_table
from assay.domain.access.secret import printable
from assay.domain.errors import UnknownNameError, nearest_names
from assay.domain.stats import plural
from assay.installation import prepare_home
from assay.settings import Settings, load_settings

_SHOWN_TESTS = 3


@dataclass(frozen=True, slots=True)
class _TestedTask:
    """A task with all of its checks, in the order of their names."""

    task: Task
    checks: tuple[Check, ...]

    @property
    def is_right(self) -> bool:
        return all(one.is_right for one in self.checks)

    def seconds(self) -> tuple[float | None, float]:
        """Median time of building and of running."""
        built = [one.ran.build_s for one in self.checks if one.ran.build_s is not None]
        return median(built) if built else None, median(one.ran.wall_s for one in self.checks)


def selftest_tasks(data: str, names: Sequence[str], *, as_json: bool) -> None:
    settings = load_settings()
    _test(_named(tasks_in(data), names), settings, as_json=as_json)


def validate_folder(folder: Path, *, runs: bool) -> None:
    tasks = load_tasks(folder)
    typer.echo(f"{plural(len(tasks), 'task')}, all usable")
    if not runs:
        return
    solved = [task for task in tasks if task.solution]
    unsolved = [task.id for task in tasks if not task.solution]
    if unsolved:
        write_note(f"not tested, for want of a solution: {', '.join(unsolved)}")
    if solved:
        _test(solved, load_settings(), as_json=False)


def _test(tasks: Sequence[Task], settings: Settings, *, as_json: bool) -> None:
    """Exits with EXIT_FAILED if a check is not right, or if there was nothing that could be tested."""
    prepare_home(settings)
    missing = unavailable(tasks, prepared_environments(settings))
    left_out = {name for names in missing.values() for name in names}
    started_s = time.monotonic()
    show = _ignore if as_json else _print_tested
    tested = run_async(_checked([task for task in tasks if task.id not in left_out], settings, show))
    duration_s = time.monotonic() - started_s
    if as_json:
        write_json(_document(tested, missing, duration_s))
    else:
        _print_figures(tested, missing, duration_s)
    if not tested or not all(one.is_right for one in tested):
        raise typer.Exit(EXIT_FAILED)


async def _checked(
    tasks: Sequence[Task], settings: Settings, show: Callable[[_TestedTask], None]
) -> list[_TestedTask]:
    sandbox, prepared = code_sandbox(settings), prepared_environments(settings)
    at_once = settings.assay_sandbox_slots or os.cpu_count() or 1
    by_task: dict[str, list[Check]] = defaultdict(list)
    found: list[_TestedTask] = []
    try:
        async with aclosing(selftest(tasks, sandbox=sandbox, prepared=prepared, at_once=at_once)) as checks:
            async for check in checks:
                own = by_task[check.task.id]
                own.append(check)
                # The solution, the workspace, and every wrong solution.
                if len(own) == len(check.task.wrong) + 2:
                    found.append(_TestedTask(check.task, tuple(sorted(own, key=lambda one: one.files))))
                    show(found[-1])
    finally:
        await sandbox.close()
    return found


def _named(tasks: Sequence[Task], names: Sequence[str]) -> list[Task]:
    by_id = {task.id: task for task in tasks}
    for name in names:
        if name not in by_id:
            raise UnknownNameError("task", name, nearest=nearest_names(name, by_id))
    return [by_id[name] for name in dict.fromkeys(names)] if names else list(tasks)


def _ignore(_one: _TestedTask) -> None:
    """Print nothing."""


def _print_tested(one: _TestedTask) -> None:
    build_s, run_s = one.seconds()
    seconds = f"run {run_s:.2f} s" if build_s is None else f"build {build_s:.2f} s, run {run_s:.2f} s"
    if one.is_right:
        wrong = plural(len(one.task.wrong), "wrong solution")
        typer.echo(f"ok   {one.task.id}: solution passes, {wrong} found; {seconds}")
        return
    typer.secho(f"BAD  {one.task.id}", fg=typer.colors.RED)
    for check in one.checks:
        if not check.is_right:
            typer.echo(f"     {check.files} {_fault(check)}")


def _fault(check: Check) -> str:
    if check.ran.has_passed:
        return "passes all tests"
    if not check.should_pass:
        return f"is found by no test, only not built: {printable(check.ran.stderr[-300:])}"
    failed = [one for one in check.ran.tests if one.result != "passed"]
    shown = "; ".join(f"{one.name}: {one.message}" for one in failed[:_SHOWN_TESTS])
    return f"fails {plural(len(failed), 'test')}: {printable(shown)}"


def _print_figures(
    tested: Sequence[_TestedTask], missing: Mapping[str, Sequence[str]], duration_s: float
) -> None:
    rows = [
        (
            language,
            str(figures["tasks"]),
            str(figures["checks"]),
            _seconds(figures["median_build_s"]),
            _seconds(figures["median_run_s"]),
            str(figures["toolchain"]),
        )
        for language, figures in _languages(tested).items()
    ]
    if rows:
        typer.echo()
        write_table(("LANGUAGE", "TASKS", "CHECKS", "MEDIAN BUILD", "MEDIAN RUN", "TOOLCHAIN"), rows)
    for reason, names in missing.items():
        write_note(f"not tested: {plural(len(names), 'task')} ({', '.join(names)}): {reason}")
    bad = [one.task.id for one in tested if not one.is_right]
    result = f"not right: {', '.join(bad)}" if bad else "all right"
    typer.echo(f"\n{plural(len(tested), 'task')} in {duration_text(duration_s)}, {result}")


def _seconds(value: object) -> str:
    return f"{value:.2f} s" if isinstance(value, float) else ""


def _languages(tested: Sequence[_TestedTask]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for language in sorted({one.task.language for one in tested}):
        own = [one for one in tested if one.task.language == language]
        ran = [check.ran for one in own for check in one.checks]
        built = [one.build_s for one in ran if one.build_s is not None]
        found[language] = {
            "tasks": len(own),
            "checks": len(ran),
            "median_build_s": median(built) if built else None,
            "median_run_s": median(one.wall_s for one in ran),
            "toolchain": ran[0].toolchain,
        }
    return found


def _document(
    tested: Sequence[_TestedTask], missing: Mapping[str, Sequence[str]], duration_s: float
) -> dict[str, object]:
    return {
        "is_right": bool(tested) and all(one.is_right for one in tested),
        "tasks": [
            {
                "task": one.task.id,
                "language": one.task.language,
                "is_right": one.is_right,
                "checks": [_check_document(check) for check in one.checks],
            }
            for one in tested
        ],
        "languages": _languages(tested),
        "unavailable": [{"reason": reason, "tasks": names} for reason, names in missing.items()],
        "duration_s": duration_s,
    }


def _check_document(check: Check) -> dict[str, object]:
    return {
        "files": check.files,
        "should_pass": check.should_pass,
        "has_passed": check.ran.has_passed,
        "is_right": check.is_right,
        "build_s": check.ran.build_s,
        "run_s": check.ran.wall_s,
        "toolchain": check.ran.toolchain,
        "failed_tests": [one.to_json() for one in check.ran.tests if one.result != "passed"],
    }
