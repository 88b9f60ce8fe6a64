"""Janus tool use: 80 tasks with tools that are carried out, over as many turns as they take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.benchmarks.janus.answer_lines import answer_protocol
from assay.benchmarks.janus.benchmark import JanusBenchmark, TaskKind
from assay.benchmarks.janus.tool_use.grading import call_metrics, grade_tool_task
from assay.benchmarks.janus.tools.conversation import MOST_TURNS, converse
from assay.benchmarks.janus.tools.simulator import Simulator
from assay.benchmarks.janus.tools.tasks import check_task, task_cues, task_tools
from assay.domain.benchmark import Ask, Cue, Item, ItemSet, Result, Row, Services, Tables
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.stats import Estimate
from assay.engine.planning.card import load_card

_RULES = """You may call the tools, several at once where one does not depend on another. Call none that the \
task does not need. If a call fails, its error says what to change. When you are done, call none."""


@dataclass(frozen=True, slots=True)
class ToolUse(JanusBenchmark):
    @property
    def limits(self) -> str:
        return f"at most {MOST_TURNS} turns"

    def load(self, tables: Tables) -> ItemSet:
        # Not super(): slots make another class of this one.
        loaded = JanusBenchmark.load(self, tables)
        for item in loaded.items:
            check_task(item.fields)

        def prompt(item: Item) -> Prompt:
            tools = [tool.definition for tool in task_tools(item.fields).values()]
            return replace(loaded.prompt(item), extra={"tools": tools, "tool_choice": "auto"})

        async def conversation(item: Item, ask: Ask, services: Services) -> Completion:
            simulator = Simulator(task_tools(item.fields), services.sandbox)
            return await converse(prompt(item), simulator, task_cues(item.fields), ask)

        return replace(loaded, prompt=prompt, converse=conversation)

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return call_metrics(results)


def _protocol(task: Row) -> str:
    return f"{_RULES} {answer_protocol(task)}"


def _cue(task: Row) -> Cue:
    return task_cues(task).whole


_KIND = TaskKind(_protocol, grade_tool_task, _cue)
benchmark = ToolUse(
    load_card(Path(__file__).parent),
    dict.fromkeys(("function_calling", "tool_selection", "tool_chaining", "code_execution"), _KIND),
)
