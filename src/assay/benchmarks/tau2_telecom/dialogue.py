"""The conversation of agent, user and environment, by the rules of the official harness."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from assay.benchmarks.tau2_telecom.arguments import MOST_CHARACTERS, parsed_arguments
from assay.benchmarks.tau2_telecom.environment import Requestor, ToolResult, tool_names
from assay.benchmarks.tau2_telecom.prompts import GREETING, STOP_WORDS
from assay.benchmarks.tau2_telecom.release import World
from assay.benchmarks.tau2_telecom.tasks import TelecomTask
from assay.domain.calls.messages import Json, Message, Prompt, ToolCall
from assay.domain.calls.transcript import transcript_text

Ending = Literal["user_stop", "max_steps", "too_many_errors", "agent_error", "user_error"]
MOST_STEPS = 200
MOST_ERRORS = 10
MOST_CALLS_AT_ONCE = 32
_LONGEST_NAME = 200
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SPEAKERS: Mapping[Requestor, str] = {"assistant": "Agent", "user": "User"}


class Dialogue:
    """Says who speaks next and with which prompt, and takes what was said.

    Each side has a context of its own: it sees its own tool calls, and of the other side only the texts.
    """

    def __init__(self, task: TelecomTask, world: World) -> None:
        self.task = task
        self.environment = world.prepared(task)
        self.speaker: Requestor = "user"
        self.ended: Ending | None = None
        self.steps = 0
        self.errors = 0
        # All calls that were made, in order.
        self.calls: list[ToolCall] = []
        self.messages: list[dict[str, Json]] = []
        self._contexts: dict[Requestor, list[Message]] = {
            "assistant": [Message("system", world.agent_prompt), Message("assistant", GREETING)],
            "user": [Message("system", world.user_prompt(task.scenario)), Message("user", GREETING)],
        }
        self._keep("assistant", GREETING, ())

    @property
    def context(self) -> Sequence[Message]:
        """What the next speaker has seen."""
        return self._contexts[self.speaker]

    @property
    def prompt(self) -> Prompt:
        return Prompt(tuple(self.context), tools_offered(self.speaker))

    def transcript(self) -> str:
        facts: dict[str, Json] = {"ended": self.ended, "steps": self.steps, "tool_errors": self.errors}
        return transcript_text(self.messages, **facts, scenario=self.task.scenario)

    def take(self, text: str, calls: Sequence[ToolCall]) -> None:
        """What the speaker said; a message with calls goes to its tools, any other to the other side."""
        self.steps += 1
        made = self._identified(calls)
        self._keep(self.speaker, text, made)
        if made:
            self._call(text, made)
        elif text.strip():
            self._say(text)
        else:
            self.ended = "agent_error" if self.speaker == "assistant" else "user_error"
            return
        # The official harness looks at these last, so that they hide that the user had finished.
        if self.steps >= MOST_STEPS:
            self.ended = "max_steps"
        if self.errors >= MOST_ERRORS:
            self.ended = "too_many_errors"

    def _say(self, text: str) -> None:
        other: Requestor = "user" if self.speaker == "assistant" else "assistant"
        self._contexts[self.speaker].append(Message("assistant", text))
        self._contexts[other].append(Message("user", text))
        if self.speaker == "user" and any(word in text for word in STOP_WORDS):
            self.ended = "user_stop"
        self.speaker = other

    def _call(self, text: str, calls: Sequence[ToolCall]) -> None:
        self.steps += 1
        self.calls += calls
        context = self._contexts[self.speaker]
        context.append(Message("assistant", text, tuple(map(_sendable, calls))))
        for call in calls:
            result = self._result(call)
            self.errors += result.is_error
            message = Message("tool", result.content, tool_call_id=call.id)
            context.append(message)
            fault: dict[str, Json] = {"fault": "error"} if result.is_error else {}
            self.messages.append({**message.to_json(), **fault})

    def _result(self, call: ToolCall) -> ToolResult:
        try:
            arguments = parsed_arguments(call.arguments)
        except ValueError as error:
            return ToolResult(f"Error: {error}", is_error=True)
        return self.environment.call(self.speaker, call.name, arguments)

    def _keep(self, role: Requestor, text: str, calls: Sequence[ToolCall]) -> None:
        self.messages.append({**Message(role, text, tuple(calls)).to_json(), "name": _SPEAKERS[role]})

    def _identified(self, calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
        """With ids of our own, since those of models may be missing or stand twice; what is too long is cut.

        One character more than may be read tells that arguments are too long.
        """
        return tuple(
            ToolCall(f"call_{self.steps}_{number}", *_cut(call))
            for number, call in enumerate(calls[:MOST_CALLS_AT_ONCE], start=1)
        )


def tools_offered(requestor: Requestor) -> Mapping[str, Json]:
    return {"tools": tool_names().definitions[requestor], "tool_choice": "auto"}


def _cut(call: ToolCall) -> tuple[str, str]:
    return _storable(call.name[:_LONGEST_NAME]), _storable(call.arguments[: MOST_CHARACTERS + 1])


def _storable(text: str) -> str:
    """Half a surrogate pair can be neither stored nor sent."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _sendable(call: ToolCall) -> ToolCall:
    """As the endpoint gets it back: servers refuse whole requests over a name or JSON that is not valid."""
    name = call.name if _NAME.fullmatch(call.name) else "invalid_name"
    try:
        parsed_arguments(call.arguments)
    except ValueError:
        return ToolCall(call.id, name, "{}")
    return ToolCall(call.id, name, call.arguments or "{}")
