"""Terminal-Bench Hard: tasks in a terminal, done by an agent and judged by hidden tests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from assay.benchmarks.terminal_bench_hard.agent import CONTEXT_TOKENS, MOST_UNUSABLE
from assay.benchmarks.terminal_bench_hard.aggregates import aggregates
from assay.benchmarks.terminal_bench_hard.grading import graded
from assay.benchmarks.terminal_bench_hard.oracle import idle_cue, oracle_cue, whole_cue
from assay.benchmarks.terminal_bench_hard.prompts import first_prompt
from assay.benchmarks.terminal_bench_hard.task_folder import TerminalTask, load_tasks
from assay.benchmarks.terminal_bench_hard.task_names import HARD_47, SPLIT_44
from assay.benchmarks.terminal_bench_hard.trial import run_trial
from assay.benchmarks.terminal_bench_hard.working import MOST_STEPS, official, own
from assay.domain.benchmark import (
    Ask,
    Card,
    Cue,
    Grade,
    Item,
    ItemId,
    ItemSet,
    Result,
    Row,
    Services,
    Tables,
)
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.errors import DataMissingError, InvalidValueError
from assay.domain.json_value import digest
from assay.domain.stats import Estimate
from assay.engine.planning.card import load_card
from assay.engine.ports import BenchmarkData

_FOLDER = files("assay.benchmarks.terminal_bench_hard")
_DEMO = Path(__file__).parent / "demo_tasks"
# The first screen is not known before the container runs; what an item asks is shown without it.
_NO_SCREEN = "Current Terminal Screen:\n"


@dataclass(frozen=True, slots=True)
class TaskTables:
    """Carries the tasks from `own_data` to `load`; `is_complete` keeps tasks that are not in the subset."""

    tasks: tuple[TerminalTask, ...]
    is_complete: bool = False

    def rows(self, split: str) -> Iterator[Row]:
        raise DataMissingError(f"the tasks have no split {split!r}")


@dataclass(frozen=True, slots=True)
class TerminalBench:
    """`names` are the tasks of the subset; None takes every task of the folder."""

    card: Card
    names: frozenset[str] | None
    context_tokens: int = CONTEXT_TOKENS
    variants: Mapping[str, "TerminalBench"] = field(default_factory=dict[str, "TerminalBench"])

    @property
    def limits(self) -> str:
        return (
            f"at most {MOST_STEPS} replies and {MOST_UNUSABLE} unusable ones in a row, the time of each task,"
            f" {self.context_tokens} tokens of context"
        )

    @property
    def agent_limits(self) -> str:
        return f"own agent, at most {MOST_STEPS} calls, the time of each task"

    def own_data(self, where: str) -> BenchmarkData:
        """`demo`, or a folder with tasks; the official ones come from their authors."""
        if where == "official":
            raise DataMissingError(
                "the tasks of Terminal-Bench come from their authors: get them from"
                " github.com/laude-institute/terminal-bench (folder tasks/) and name the folder with --data,"
                " or use --data demo"
            )
        if where == "demo":
            return _data(_demo(), f"demo:{self.card.version}", is_complete=True)
        folder = Path(where).expanduser()
        return _data(load_tasks(folder), f"file:{folder.resolve().name}", is_complete=False)

    def demo_tables(self) -> Tables:
        return TaskTables(_demo(), is_complete=True)

    def load(self, tables: Tables) -> ItemSet:
        if not isinstance(tables, TaskTables):
            raise InvalidValueError(f"{self.card.name!r} reads folders of tasks, not tables")
        tasks = {_item(task).id: task for task in self._chosen(tables)}

        def prompt(item: Item) -> Prompt:
            return Prompt.of_user(first_prompt(tasks[item.id].instruction, _NO_SCREEN))

        def cue(item: Item) -> Cue:
            return whole_cue(tasks[item.id])

        async def conversation(item: Item, ask: Ask, services: Services) -> Completion:
            task = tasks[item.id]

            def cue_at(reply: int) -> Cue:
                return Cue(right=oracle_cue(task, reply), wrong=idle_cue())

            if services.agent is not None:
                working = own(task, ask, services.agent)
            else:
                working = official(task, ask, cue_at=cue_at, context_tokens=self.context_tokens)
            return await run_trial(task, services.required_containers(), working)

        return ItemSet(tuple(_item(task) for task in tasks.values()), prompt, cue, converse=conversation)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:  # noqa: ARG002 - protocol
        tests = item.fields["test_names"]
        return graded(completion.answer, [str(one) for one in tests] if isinstance(tests, Sequence) else [])

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return aggregates(results)

    def unsupported(self, items: Sequence[Item]) -> Mapping[ItemId, str]:
        return {item.id: str(why) for item in items if (why := item.fields["unsupported"]) is not None}

    def _chosen(self, tables: TaskTables) -> list[TerminalTask]:
        if tables.is_complete or self.names is None:
            return list(tables.tasks)
        chosen = [task for task in tables.tasks if task.id in self.names]
        if not chosen:
            raise InvalidValueError(
                f"the folder has none of the {len(self.names)} tasks of {self.card.name!r};"
                " terminal_bench_hard:all_tasks runs whatever a folder has"
            )
        return chosen


def _data(tasks: tuple[TerminalTask, ...], revision: str, *, is_complete: bool) -> BenchmarkData:
    checksum = digest([_item(task).content_hash for task in tasks])
    return BenchmarkData(TaskTables(tasks, is_complete), revision, checksum)


@cache
def _demo() -> tuple[TerminalTask, ...]:
    return load_tasks(_DEMO)


def _item(task: TerminalTask) -> Item:
    fields: Row = {
        "layout": task.layout,
        "instruction": task.instruction,
        "difficulty": task.difficulty,
        "tags": list(task.tags),
        "parser": task.parser,
        "agent_timeout_s": task.agent_s,
        "test_timeout_s": task.tests_s,
        "files": task.digest,
        "test_names": sorted(task.test_names()),
        "unsupported": task.unsupported,
    }
    return Item(ItemId(task.id), fields, expected="passes all its tests", category=task.category)


def _variant(name: str, names: frozenset[str] | None) -> TerminalBench:
    return TerminalBench(load_card(_FOLDER, variant=name), names)


benchmark = TerminalBench(
    load_card(_FOLDER),
    HARD_47,
    variants={
        "split_44": _variant("split_44", SPLIT_44),
        "all_tasks": _variant("all_tasks", None),
        "context_32k": replace(_variant("context_32k", HARD_47), context_tokens=32_768),
        "context_128k": replace(_variant("context_128k", HARD_47), context_tokens=131_072),
    },
)
