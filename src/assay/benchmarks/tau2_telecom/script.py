"""Replies that simulated models know: the actions of a task in order, with the user's part."""

import json

from assay.benchmarks.tau2_telecom.dialogue import Dialogue
from assay.benchmarks.tau2_telecom.prompts import STOP_WORDS
from assay.benchmarks.tau2_telecom.release import World
from assay.benchmarks.tau2_telecom.tasks import Action, TelecomTask
from assay.domain.benchmark import Cue
from assay.domain.calls.messages import ToolCall

_IDLE = "I am sorry, but I cannot help you with that."
_DONE = "I have done that."
_LAST = "That was all I can do for you. Is it solved?"


def cue_of(dialogue: Dialogue) -> Cue:
    """What the next speaker says if both follow the task's actions."""
    return _agent(dialogue) if dialogue.speaker == "assistant" else _user(dialogue)


def whole_cue(task: TelecomTask, world: World) -> Cue:
    """Two conversations: one that follows the actions, and one in which the agent does nothing."""
    right, wrong = Dialogue(task, world), Dialogue(task, world)
    while right.ended is None:
        cue = cue_of(right)
        right.take(cue.right or "", cue.calls)
    while wrong.ended is None:
        cue = cue_of(wrong)
        wrong.take(_IDLE if wrong.speaker == "assistant" else cue.right or "", ())
    return Cue(right=right.transcript(), wrong=wrong.transcript())


def _pending(dialogue: Dialogue) -> Action | None:
    actions = dialogue.task.actions or ()
    done = len(dialogue.calls)
    return actions[done] if done < len(actions) else None


def _agent(dialogue: Dialogue) -> Cue:
    pending = _pending(dialogue)
    if pending is None:
        return Cue(right=_LAST, wrong=_IDLE)
    if pending.requestor == "user":
        return Cue(right=_request(pending), wrong=_IDLE)
    return Cue(calls=(_call(pending),), wrong=_IDLE)


def _user(dialogue: Dialogue) -> Cue:
    """Does what it is asked for in the words of this script, and ends the conversation over any others."""
    last, pending = dialogue.context[-1], _pending(dialogue)
    if dialogue.steps == 0:
        return Cue(right=dialogue.task.reason_for_call)
    if last.role == "tool":
        return Cue(right=_DONE)
    if pending is not None and pending.requestor == "user" and last.text == _request(pending):
        return Cue(calls=(_call(pending),))
    return Cue(right=STOP_WORDS[0])


def _request(action: Action) -> str:
    return f"Please use {action.name} with {_arguments(action)} on your phone."


def _call(action: Action) -> ToolCall:
    return ToolCall("", action.name, _arguments(action))


def _arguments(action: Action) -> str:
    return json.dumps(action.arguments, ensure_ascii=False)
