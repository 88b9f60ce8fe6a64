"""The code catalogue: tasks in six languages, solved by a patch that hidden tests grade."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.benchmarks.code_catalogue.answers.answer import AnswerError, AnswerOptions, AppliedAnswer
from assay.benchmarks.code_catalogue.answers.apply import apply_answer
from assay.benchmarks.code_catalogue.languages import LANGUAGES, OWN_FOLDER
from assay.benchmarks.code_catalogue.metrics import metrics
from assay.benchmarks.code_catalogue.prompts import task_prompt
from assay.benchmarks.code_catalogue.running import TestRun, run_tests
from assay.benchmarks.code_catalogue.task_folder import Task, load_tasks
from assay.domain.benchmark import (
    Card,
    Cue,
    Environment,
    Grade,
    Item,
    ItemId,
    ItemSet,
    Prepared,
    Result,
    Row,
    Services,
    Tables,
)
from assay.domain.calls.messages import Completion, Json, Prompt
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.domain.json_value import digest
from assay.domain.outcome import Outcome
from assay.domain.programs.toolchain import Toolchain
from assay.domain.stats import Estimate
from assay.engine.code_harness.options import Options
from assay.engine.planning.card import load_card
from assay.engine.ports import BenchmarkData

_FOLDER = Path(__file__).parent
TASKS = _FOLDER / "tasks"
_MOST_PATCH_CHARACTERS = 200_000
_LONG_CHARACTERS = 20_000
_PROTECTED = ("tests", OWN_FOLDER)
# Every sandbox shows it.
_SYSTEM = Path("/usr")
_EXPOSED = "the folder of the tasks can be read in the sandbox, with what is expected: move it elsewhere"


@dataclass(frozen=True, slots=True)
class _NoTables:
    def rows(self, split: str) -> Iterator[Row]:
        raise DataMissingError(f"the tasks have no split {split!r}")


@dataclass(frozen=True, slots=True)
class TaskTables(_NoTables):
    """Carries the tasks from `own_data` to `load`."""

    tasks: tuple[Task, ...]


class CodeCatalogue:
    def __init__(self, card: Card, options: Options, tasks: dict[str, Task] | None = None) -> None:
        self.card = card
        self._options = options
        # By content, since runs of different folders may be graded at the same time; variants share it.
        self._tasks: dict[str, Task] = {} if tasks is None else tasks

    @property
    def environment(self) -> Environment:
        return Environment((), ())

    @property
    def user_files(self) -> Mapping[str, str]:
        return {}

    def check_prepared(self, items: Sequence[Item], prepared: Prepared) -> None:
        """Raises DataMissingError that names the tasks whose toolchain is not on this machine."""
        missing = unavailable([self._task(item) for item in items], prepared)
        if missing:
            lines = "".join(f"\n  {reason}: {', '.join(names)}" for reason, names in missing.items())
            raise DataMissingError(
                f"these tasks cannot be tested on this machine:{lines}\n"
                "install what is missing, or name the other tasks"
            )

    def variant(self, name: str) -> "CodeCatalogue | None":
        options = Options.parse(name)
        return None if options is None else CodeCatalogue(options.card(self.card), options, self._tasks)

    def own_data(self, where: str) -> BenchmarkData:
        """The tasks that come with Assay, as `official` and as `demo`; or those of a folder of the user's."""
        if where in ("official", "demo"):
            return _data(_packaged(), f"included:{self.card.version}")
        folder = Path(where).expanduser()
        return _data(load_tasks(folder), f"file:{folder.resolve().name}")

    def demo_tables(self) -> Tables:
        return TaskTables(_packaged())

    def load(self, tables: Tables) -> ItemSet:
        if not isinstance(tables, TaskTables):
            raise InvalidValueError(f"{self.card.name!r} reads folders of tasks, not tables")
        tasks: dict[str, Task] = {}
        for task in tables.tasks:
            item = _item(task)
            tasks[item.id] = task
            self._tasks[item.content_hash] = task

        def prompt(item: Item) -> Prompt:
            include_tests = self._options.include_tests
            return task_prompt(
                tasks[item.id], include_tests=include_tests, extra=self._options.request_fields
            )

        def cue(item: Item) -> Cue:
            task = tasks[item.id]
            wrong = next(iter(task.wrong.values()), None)
            return Cue(
                right=_whole_files(task.solution), wrong=_whole_files(wrong) if wrong else "I do not know."
            )

        return ItemSet(tuple(_item(task) for task in tables.tasks), prompt, cue)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        task = self._task(item)
        workspace = {path: text.encode() for path, text in task.workspace.items()}
        try:
            applied = await self._applied(completion.answer, workspace, services)
        except AnswerError as error:
            return _unusable(task, error.message)
        files = {path: text for path, text in {**workspace, **applied.changed}.items() if text is not None}
        toolchain = await asyncio.to_thread(toolchain_of, task, services.required_prepared())
        ran = await run_tests(task, files, sandbox=services.required_sandbox(), toolchain=toolchain)
        return _graded(task, applied, ran)

    @property
    def _answer_options(self) -> AnswerOptions:
        return AnswerOptions(
            allow_incomplete_diffs=self._options.allow_incomplete_diffs,
            allow_rewrite_fallback=self._options.allow_rewrite_fallback,
        )

    async def _applied(self, reply: str, workspace: Mapping[str, bytes], services: Services) -> AppliedAnswer:
        """A long reply is read in another process: it would hold up the event loop for seconds."""
        if len(reply) > _LONG_CHARACTERS and services.isolated is not None:
            return await services.isolated(_apply, reply, workspace, self._answer_options)
        return _apply(reply, workspace, self._answer_options)

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return metrics(results)

    def _task(self, item: Item) -> Task:
        return self._tasks[item.content_hash]


def _data(tasks: tuple[Task, ...], revision: str) -> BenchmarkData:
    return BenchmarkData(TaskTables(tasks), revision, digest([_item(task).content_hash for task in tasks]))


def unavailable(tasks: Sequence[Task], prepared: Prepared) -> dict[str, list[str]]:
    """The tasks that cannot be tested here, by the reason why."""
    toolchains: dict[str, Toolchain | DataMissingError | None] = {}
    found: dict[str, list[str]] = {}
    for task in tasks:
        if task.language not in toolchains:
            toolchains[task.language] = _toolchain_or_error(task.language, prepared)
        toolchain = toolchains[task.language]
        if isinstance(toolchain, DataMissingError):
            found.setdefault(toolchain.message, []).append(task.id)
        elif is_exposed(task.folder, toolchain):
            found.setdefault(_EXPOSED, []).append(task.id)
    return found


def _toolchain_or_error(language: str, prepared: Prepared) -> Toolchain | DataMissingError | None:
    name = LANGUAGES[language].toolchain
    try:
        return None if name is None else prepared.toolchain(name)
    except DataMissingError as error:
        return error


def is_exposed(folder: Path, toolchain: Toolchain | None) -> bool:
    """Whether programs in the sandbox could read the expected values; Assay's own files are hidden there."""
    mounts = () if toolchain is None else toolchain.mounts
    shown = (_SYSTEM, *(Path(one.source).resolve() for one in mounts))
    place = folder.resolve()
    return not place.is_relative_to(TASKS.resolve()) and any(place.is_relative_to(one) for one in shown)


def toolchain_of(task: Task, prepared: Prepared) -> Toolchain | None:
    """Blocks while a toolchain is primed, which takes a minute the first time."""
    name = LANGUAGES[task.language].toolchain
    return None if name is None else prepared.toolchain(name, is_primed=True)


def _apply(reply: str, workspace: Mapping[str, bytes], options: AnswerOptions) -> AppliedAnswer:
    return apply_answer(reply, workspace, options, protected=_is_protected)


def _is_protected(path: str) -> bool:
    return path.split("/", 1)[0].lower() in _PROTECTED


@cache
def _packaged() -> tuple[Task, ...]:
    return load_tasks(TASKS)


def _item(task: Task) -> Item:
    return Item(
        ItemId(task.id),
        {
            "title": task.title,
            "language": task.language,
            "type": task.type,
            "difficulty": task.difficulty,
            "tags": list(task.tags),
            "instructions": task.instructions,
            "timeout_s": task.timeout_s,
            "workspace": dict(task.workspace),
            "tests": task.tests_digest,
        },
        category=task.language,
    )


def _whole_files(files: Mapping[str, str]) -> str:
    """Files as an answer; the simulated models reply with it."""
    return "\n\n".join(f"File: {path}\n````\n{text}````" for path, text in files.items())


def _facts(task: Task) -> dict[str, Json]:
    return {"language": task.language, "type": task.type, "difficulty": task.difficulty}


def _unusable(task: Task, reason: str) -> Grade:
    details: dict[str, Json] = {
        **_facts(task),
        "status": "error",
        "answer": {"format": None, "repairs": [], "fallback": None, "ignored": [], "patch": ""},
        "tests": [
            {"name": name, "result": "not_run", "message": "no usable answer"} for name in task.expected
        ],
        "timeout_seconds": task.timeout_s,
    }
    return Grade(Outcome.UNPARSED, 0.0, explanation=reason, details=details)


def _graded(task: Task, applied: AppliedAnswer, ran: TestRun) -> Grade:
    passed = sum(one.result == "passed" for one in ran.tests)
    patch = applied.patch[:_MOST_PATCH_CHARACTERS]
    details: dict[str, Json] = {
        **_facts(task),
        "status": "passed" if ran.has_passed else "failed",
        "answer": {
            "format": applied.format.value,
            "repairs": [one.value for one in applied.repairs],
            "fallback": applied.fallback,
            "ignored": list(applied.ignored),
            "patch": patch,
        },
        "timeout_seconds": task.timeout_s,
        **ran.to_json(),
    }
    if ran.has_passed:
        return Grade(Outcome.CORRECT, 1.0, patch, f"passed all {len(ran.tests)} tests", details)
    first = next(one for one in ran.tests if one.result != "passed")
    explanation = f"passed {passed} of {len(ran.tests)} tests; {first.name}: {first.message}"
    return Grade(Outcome.INCORRECT, 0.0, patch, explanation, details)


benchmark = CodeCatalogue(load_card(_FOLDER), Options())
