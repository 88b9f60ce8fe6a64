"""A conversation in which the model's tool calls are carried out, up to its final message."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.benchmarks.janus.tools.errors import Fault
from assay.benchmarks.janus.tools.simulator import MOST_ARGUMENT_CHARACTERS, Simulator, ToolResult
from assay.domain.benchmark import Ask, Cue
from assay.domain.calls.messages import Completion, Message, Prompt, ToolCall
from assay.domain.calls.transcript import transcript_text
from assay.domain.json_value import Json

MOST_TURNS = 8
MOST_CALLS_AT_ONCE = 16
# Of a message with more calls than are carried out, so many are answered and kept.
_MOST_KEPT = 2 * MOST_CALLS_AT_ONCE
_TOO_MANY = ToolResult(
    f'{{"error": "at most {MOST_CALLS_AT_ONCE} calls are carried out at once"}}', Fault.REFUSED
)
_LONGEST_NAME = 200
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_UNREAD = frozenset({Fault.UNKNOWN_TOOL, Fault.INVALID_ARGUMENTS})


@dataclass(frozen=True, slots=True)
class Cues:
    """What the simulated models call, turn by turn, and what they say at the end."""

    calls: Sequence[Sequence[ToolCall]]
    right: str
    wrong: str

    def of_turn(self, turn: int) -> Cue:
        if turn < len(self.calls):
            return Cue(calls=tuple(self.calls[turn]), wrong=self.wrong)
        return Cue(right=self.right, wrong=self.wrong)

    @property
    def whole(self) -> Cue:
        """As transcripts; without results of tools, which no grade depends on."""
        turns = [Message("assistant", "", tuple(calls)) for calls in self.calls]
        right = [message.to_json() for message in (*turns, Message("assistant", self.right))]
        return Cue(
            right=transcript_text(right), wrong=transcript_text([Message("assistant", self.wrong).to_json()])
        )


async def converse(prompt: Prompt, simulator: Simulator, cues: Cues, ask: Ask) -> Completion:
    """The transcript, which ends with the first message that calls nothing, or at the limit of turns."""
    sent = list(prompt.messages)
    kept: list[dict[str, Json]] = [message.to_json() for message in sent]
    reasoning: list[str] = []
    ending: dict[str, Json] = {"stopped": f"after {MOST_TURNS} turns"}
    reply = Completion("")
    for turn in range(MOST_TURNS):
        reply = await ask(Prompt(tuple(sent), prompt.extra), cue=cues.of_turn(turn))
        reasoning += [reply.reasoning] if reply.reasoning else []
        calls = _identified(reply.tool_calls, turn)
        kept.append(Message("assistant", reply.answer, calls).to_json())
        if not calls or reply.is_refused:
            ending = {}
            break
        results = [await _result(simulator, number, call) for number, call in enumerate(calls)]
        sent.append(Message("assistant", reply.answer, tuple(map(_sendable, calls, results))))
        for call, result in zip(calls, results, strict=True):
            message = Message("tool", result.content, tool_call_id=call.id)
            sent.append(message)
            fault: dict[str, Json] = {"fault": result.fault.value} if result.fault else {}
            kept.append({**message.to_json(), **fault})
    text = transcript_text(kept, **ending)
    return replace(reply, answer=text, reasoning="\n\n".join(reasoning), tool_calls=())


def _identified(calls: Sequence[ToolCall], turn: int) -> tuple[ToolCall, ...]:
    """With ids of our own, since those of models may be missing or stand twice; what is too long is cut.

    One character more than may be read tells the simulator that arguments are too long.
    """
    return tuple(
        ToolCall(
            f"call_{turn + 1}_{number}",
            call.name[:_LONGEST_NAME],
            call.arguments[: MOST_ARGUMENT_CHARACTERS + 1],
        )
        for number, call in enumerate(calls[:_MOST_KEPT], start=1)
    )


async def _result(simulator: Simulator, number: int, call: ToolCall) -> ToolResult:
    return await simulator.answer(call) if number < MOST_CALLS_AT_ONCE else _TOO_MANY


def _sendable(call: ToolCall, result: ToolResult) -> ToolCall:
    """As the endpoint gets it back: servers refuse whole requests over a name or JSON that is not valid."""
    name = call.name if _NAME.fullmatch(call.name) else "invalid_name"
    arguments = "{}" if result.fault in _UNREAD else call.arguments
    return ToolCall(call.id, name, arguments or "{}")
