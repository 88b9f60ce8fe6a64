"""The tasks of the code catalogue: which can be tested here, and what the attempts of a run came to."""

import asyncio
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter

from assay.api.dependencies import Caches, Services
from assay.api.errors import problems
from assay.api.harness.ids import RunIdPath
from assay.api.schemas.code_tasks import CodeColumn, CodeRow, CodeRunResults, CodeTask, CodeTasks
from assay.benchmarks.code_catalogue.task import TASKS, unavailable
from assay.benchmarks.code_catalogue.task_folder import Task, load_tasks
from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId, Prepared
from assay.domain.run import Evaluation, EvaluationId
from assay.engine.code_harness.names import level_of, options_of
from assay.engine.code_harness.statuses import Status
from assay.engine.code_harness.summary import CodeRun, code_run

router = APIRouter(prefix="/api/code", tags=["code harness"])

_INCLUDED: Final = frozenset({"official", "demo"})

Statuses = Mapping[tuple[EvaluationId, AttemptKey], Status]


@router.get("/tasks")
async def list_code_tasks(caches: Caches) -> CodeTasks:
    """The tasks that come with Assay, and whether this server could test them within the last minute."""
    return await caches.code_tasks.get()


@router.get(
    "/runs/{run_id}",
    responses=problems(HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY),
)
async def show_code_results(run_id: RunIdPath, services: Services) -> CodeRunResults:
    """The status of every attempt of a run, by task and model."""
    found = await code_run(services.stores, run_id)
    facts = await services.stores.runs.item_facts(found.evaluations[0].id)
    languages = {
        str(item): one.category for item, one in zip(found.evaluations[0].item_ids, facts, strict=False)
    }
    titles = await asyncio.to_thread(_titles) if found.run.spec.data in _INCLUDED else {}
    statuses: Statuses = {(one.evaluation.id, one.attempt.key): one.status for one in found.attempts}
    return CodeRunResults(
        run_id=found.run.id,
        columns=tuple(map(_column, found.evaluations)),
        tasks=tuple(
            CodeRow(
                id=task,
                title=titles.get(task),
                language=languages.get(task),
                statuses=_cells(found, task, statuses),
            )
            for task in found.task_ids
        ),
    )


def available_tasks(prepared: Prepared | None) -> CodeTasks:
    """Blocks while the toolchains of this machine are looked for; without `prepared` none is asked for."""
    tasks = _packaged()
    missing = {} if prepared is None else unavailable(tasks, prepared)
    reasons = {task: reason for reason, names in missing.items() for task in names}
    return CodeTasks(tasks=tuple(_task(one, reasons.get(one.id)) for one in tasks))


@cache
def _packaged() -> tuple[Task, ...]:
    return load_tasks(TASKS)


def _titles() -> dict[str, str]:
    return {one.id: one.title for one in _packaged()}


def _task(task: Task, reason: str | None) -> CodeTask:
    return CodeTask(
        id=task.id,
        title=task.title,
        language=task.language,
        type=task.type,
        difficulty=task.difficulty,
        tests=len(task.expected),
        available=reason is None,
        reason=reason,
    )


def _column(evaluation: Evaluation) -> CodeColumn:
    options = options_of(evaluation.benchmark)
    return CodeColumn(
        model=evaluation.model,
        benchmark=evaluation.benchmark,
        level=level_of(evaluation),
        options=tuple(
            f"{name}={value}" if value else name for name, value in options.items() if name != "thinking"
        ),
    )


def _cells(found: CodeRun, task: str, statuses: Statuses) -> tuple[tuple[Status | None, ...], ...]:
    return tuple(
        tuple(statuses.get((one.id, AttemptKey(ItemId(task), sample))) for sample in range(one.samples))
        for one in found.evaluations
    )
