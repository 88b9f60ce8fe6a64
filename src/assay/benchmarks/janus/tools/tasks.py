"""What a task with tools says in its file: its tools, the calls it needs, and its solution."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from assay.benchmarks.janus.answer_lines import answer_cue
from assay.benchmarks.janus.tools.calls import NeededCall, Needs
from assay.benchmarks.janus.tools.conversation import Cues
from assay.benchmarks.janus.tools.definitions import Tool, tools_named
from assay.benchmarks.janus.tools.errors import ToolError
from assay.benchmarks.janus.tools.simulator import parsed_arguments
from assay.domain.benchmark import Row
from assay.domain.calls.messages import ToolCall
from assay.domain.errors import InvalidValueError

Turns = Sequence[Sequence[Mapping[str, Any]]]


def task_tools(task: Row) -> Mapping[str, Tool]:
    return tools_named(cast("Sequence[str]", task.get("available_tools", ())))


def task_needs(task: Row) -> Needs:
    evaluation = _evaluation(task)
    return Needs(
        [_needed(task, call) for turn in _turns(task) for call in turn],
        frozenset(cast("Sequence[str]", evaluation.get("allowed", ()))),
        cast("int", evaluation.get("free_refusals", 0)),
    )


def solution_calls(task: Row) -> list[list[ToolCall]]:
    """Turn by turn, for the simulated models."""
    return [
        [
            ToolCall(f"sim_{number}", str(call["function"]), json.dumps(call["arguments"]))
            for number, call in enumerate(turn)
        ]
        for turn in _turns(task)
    ]


def task_cues(task: Row) -> Cues:
    """For a task whose reply ends with labelled lines."""
    said = answer_cue(task)
    return Cues(solution_calls(task), said.right or "", said.wrong or "")


def check_task(task: Row) -> None:
    """Raises InvalidValueError if a needed call is not one that the offered tools would take."""
    tools = task_tools(task)
    needed = [call for turn in _turns(task) for call in turn]
    others = [other for one in needed for other in one.get("alternatives", ())]
    for call in (*needed, *others):
        try:
            parsed_arguments(tools[call["function"]], json.dumps(call["arguments"]))
        except KeyError as error:
            raise InvalidValueError(
                f"task {task['id']!r} needs the tool {call['function']!r} and does not offer it"
            ) from error
        except ToolError as error:
            raise InvalidValueError(
                f"task {task['id']!r} needs a call of {call['function']!r} that is not valid: {error}"
            ) from error


def _needed(task: Row, call: Mapping[str, Any]) -> NeededCall:
    name = str(call["function"])
    return NeededCall(
        name,
        task_tools(task)[name].with_defaults(call["arguments"]),
        frozenset(call.get("open", ())),
        tuple(_needed(task, one) for one in call.get("alternatives", ())),
    )


def _turns(task: Row) -> Turns:
    return cast("Turns", _evaluation(task).get("calls", ()))


def _evaluation(task: Row) -> Row:
    return cast("Row", task.get("evaluation", {}))
