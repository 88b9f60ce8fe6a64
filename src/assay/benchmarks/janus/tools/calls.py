"""The calls of a transcript, held against those that a task needs."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from assay.benchmarks.janus.tools.definitions import RUN_PYTHON, WRITING, Tool
from assay.benchmarks.janus.tools.errors import Fault, ToolError
from assay.benchmarks.janus.tools.simulator import parsed_arguments
from assay.domain.calls.messages import ToolCall
from assay.domain.calls.transcript import Transcript
from assay.domain.json_value import Json, canonical_json
from assay.engine.graders.exact import normalised

# What a call costs that the task did not need; the sum is taken off a score of 1.
FAULT_COSTS: Mapping[str, float] = {
    "unneeded": 0.1,
    "repeated": 0.1,
    "invalid": 0.1,
    "refused": 0.1,
    "needless": 0.5,
    "harmful": 0.5,
}


@dataclass(frozen=True, slots=True)
class NeededCall:
    """A call that a task cannot be done without; `open` names arguments that may be anything."""

    tool: str
    arguments: Mapping[str, Json]
    open: frozenset[str] = frozenset()
    alternatives: tuple["NeededCall", ...] = ()

    def is_met_by(self, made: "MadeCall") -> bool:
        if any(one.is_met_by(made) for one in self.alternatives):
            return True
        if made.tool != self.tool or made.arguments is None:
            return False
        return _compared(made.arguments, self.open) == _compared(self.arguments, self.open)


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call in a transcript; `arguments` is None if they could not be read."""

    tool: str
    arguments: Mapping[str, Any] | None
    fault: Fault | None

    @property
    def identity(self) -> tuple[str, bytes]:
        return self.tool, canonical_json(self.arguments)


@dataclass(frozen=True, slots=True)
class CallReport:
    """How the calls of one attempt compare with the needed ones."""

    needed: int
    made: int
    # Needed calls that were made: at least by name, and with the right arguments.
    named: int
    met: int
    faults: Mapping[str, int]

    @property
    def penalty(self) -> float:
        return sum(count * FAULT_COSTS[fault] for fault, count in self.faults.items())

    @property
    def accuracy(self) -> float:
        """Needed calls that were made, among all that were needed or made in error; 1 if there are none."""
        wrong = sum(self.faults.values())
        return self.met / (self.needed + wrong) if self.needed + wrong else 1.0

    @property
    def valid_share(self) -> float:
        """Of the calls made, those of a tool that exists with arguments that fit its schema."""
        return 1 - self.faults.get("invalid", 0) / self.made if self.made else 0.0

    def to_json(self) -> dict[str, Json]:
        return {
            "needed": self.needed,
            "made": self.made,
            "named": self.named,
            "met": self.met,
            "faults": dict(self.faults),
            "accuracy": round(self.accuracy, 4),
        }

    @classmethod
    def of_json(cls, stored: Mapping[str, Any]) -> "CallReport":
        return cls(stored["needed"], stored["made"], stored["named"], stored["met"], stored["faults"])


def made_calls(transcript: Transcript, tools: Mapping[str, Tool]) -> list[MadeCall]:
    """In order. Names and arguments are checked again here; only refusals are taken from the transcript."""
    faults = {
        message["tool_call_id"]: message.get("fault")
        for message in transcript.messages
        if message.get("role") == "tool" and isinstance(message.get("tool_call_id"), str)
    }
    return [
        _made(call, tools.get(call.name), is_refused=faults.get(call.id) == Fault.REFUSED)
        for call in _tool_calls(transcript)
    ]


def final_text(transcript: Transcript) -> str:
    """What the model said last, if it ended the conversation by itself."""
    match [*transcript.messages][-1:]:
        case [{"role": "assistant", "content": str(content), **others}] if not others.get("tool_calls"):
            return content
        case _:
            return ""


def _tool_calls(transcript: Transcript) -> list[ToolCall]:
    found: list[ToolCall] = []
    for message in transcript.messages:
        calls = message.get("tool_calls") if message.get("role") == "assistant" else None
        for call in calls if isinstance(calls, Sequence) and not isinstance(calls, str) else ():
            match call:
                case {"id": str(id_), "function": {"name": str(name), "arguments": str(arguments)}}:
                    found.append(ToolCall(id_, name, arguments))
                case _:
                    found.append(ToolCall("", "", json.dumps(call, default=str)))
    return found


def _made(call: ToolCall, tool: Tool | None, *, is_refused: bool) -> MadeCall:
    if tool is None:
        return MadeCall(call.name, None, Fault.UNKNOWN_TOOL)
    try:
        arguments = parsed_arguments(tool, call.arguments)
    except ToolError:
        return MadeCall(call.name, None, Fault.INVALID_ARGUMENTS)
    return MadeCall(call.name, arguments, Fault.REFUSED if is_refused else None)


@dataclass(frozen=True, slots=True)
class Needs:
    """The calls that a task takes, and what it forgives: calls of some tools, and so many refused ones."""

    calls: Sequence[NeededCall]
    allowed: frozenset[str] = frozenset()
    free_refusals: int = 0


def compared(needs: Needs, made: Sequence[MadeCall]) -> CallReport:
    """Each needed call is met by one made call at most; the rest are faults, or part of a search."""
    needed = needs.calls
    meeting: set[int] = set()
    for one in needed:
        numbers = (
            number
            for number, call in enumerate(made)
            if number not in meeting and call.fault is None and one.is_met_by(call)
        )
        meeting.update(islice(numbers, 1))
    searching = needs.allowed | {one.tool for one in needed if one.open}
    faults: Counter[str] = Counter()
    for number, call in enumerate(made):
        if number not in meeting:
            fault = _fault_of(call, made[:number], searching, is_needed=bool(needed))
            faults.update([fault] if fault else [])
    faults["refused"] -= min(needs.free_refusals, faults["refused"])
    wanted = Counter(one.tool for one in needed)
    named = sum((wanted & Counter(call.tool for call in made)).values())
    return CallReport(len(needed), len(made), named, len(meeting), dict(+faults))


def _fault_of(
    call: MadeCall, earlier: Sequence[MadeCall], searching: frozenset[str], *, is_needed: bool
) -> str | None:
    # A program that fails is mended and run again.
    is_trying = call.tool == RUN_PYTHON and RUN_PYTHON in searching
    rules = (
        ("invalid", call.fault in (Fault.UNKNOWN_TOOL, Fault.INVALID_ARGUMENTS)),
        ("needless", not is_needed),
        ("harmful", call.fault is None and call.tool in WRITING),
        ("repeated", any(call.identity == one.identity for one in earlier)),
        ("refused", call.fault is Fault.REFUSED and not is_trying),
        ("unneeded", call.fault is None and call.tool not in searching),
    )
    return next((fault for fault, applies in rules if applies), None)


def _compared(arguments: Mapping[str, Any], left_out: frozenset[str]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in arguments.items() if name not in left_out}


def _plain(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Texts are equal without letter case and marks at their ends, numbers by value."""
    match value:
        case str():
            return normalised(value)
        case list():
            return [_plain(one) for one in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value
