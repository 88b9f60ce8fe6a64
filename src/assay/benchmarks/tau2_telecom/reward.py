"""The reward of a conversation: its calls replayed in a fresh environment, by the basis of the task."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.benchmarks.tau2_telecom.environment import Environment, Requestor, tool_names
from assay.benchmarks.tau2_telecom.release import World
from assay.benchmarks.tau2_telecom.tasks import Action, TelecomTask
from assay.domain.calls.messages import Json
from assay.domain.errors import DataError, GraderError

# A conversation that ended in any other way has no reward.
_REWARDED = frozenset({"user_stop", "agent_stop"})


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call with the answer that it got; `arguments` is None for what could not be read."""

    requestor: Requestor
    name: str
    arguments: Mapping[str, Json] | None
    answer: str


@dataclass(frozen=True, slots=True)
class Reward:
    """`breakdown` has the parts of the basis; the other members are None where nothing was checked."""

    value: float
    basis: tuple[str, ...] | None = None
    breakdown: Mapping[str, float] | None = None
    is_db_equal: bool | None = None
    assertions: tuple[bool, ...] | None = None
    actions: tuple[bool, ...] | None = None


def reward(
    task: TelecomTask, world: World, calls: Sequence[MadeCall], said: Sequence[str], *, ended: str | None
) -> Reward:
    """`said` are the texts of the agent; raises GraderError if a tool answers otherwise than it did then."""
    if ended not in _REWARDED:
        return Reward(0.0)
    if not task.has_criteria:
        return Reward(1.0)
    parts: dict[str, float] = {}
    is_db_equal, assertions = _checked_state(task, world, calls)
    if task.actions is not None or task.assertions is not None:
        parts["DB"] = float(is_db_equal)
        parts["ENV_ASSERTION"] = float(all(assertions or ()))
    actions = tuple(_is_made(one, calls) for one in task.actions or ()) or None
    parts["ACTION"] = float(all(actions or ()))
    parts["COMMUNICATE"] = float(all(_is_said(one, said) for one in task.information))
    # Each part once, even if the task names it twice.
    breakdown = {name: parts[name] for name in dict.fromkeys(task.basis) if name in parts}
    value = 1.0
    for part in breakdown.values():
        value *= part
    return Reward(value, task.basis, breakdown, is_db_equal, assertions, actions)


def _checked_state(
    task: TelecomTask, world: World, calls: Sequence[MadeCall]
) -> tuple[bool, tuple[bool, ...] | None]:
    if task.actions is None and task.assertions is None:
        return True, None
    found = _replayed(task, world, calls)
    expected = _expected(task, world)
    is_equal = (found.db_hash, found.user_db_hash) == (expected.db_hash, expected.user_db_hash)
    assertions = tuple(
        found.run(one.requestor, one.name, one.arguments) == one.expected for one in task.assertions or ()
    )
    return is_equal, assertions


def _replayed(task: TelecomTask, world: World, calls: Sequence[MadeCall]) -> Environment:
    """Calls that only read are left out, and so are tools that there are not."""
    environment = world.prepared(task)
    for call in calls:
        if call.arguments is None or call.name not in tool_names().writing:
            continue
        result = environment.call(call.requestor, call.name, call.arguments)
        # A call that fails changes nothing, and other versions of Python word the error in another way.
        has_failed_twice = result.is_error and call.answer.startswith("Error: ")
        if not has_failed_twice and _value(result.content) != _value(call.answer):
            raise GraderError(
                f"the tool {call.name!r} answers {result.content[:200]!r} when the conversation is replayed,"
                f" and answered {call.answer[:200]!r} in it: the transcript is of another version, or was"
                " changed"
            )
    environment.synchronise()
    return environment


def _expected(task: TelecomTask, world: World) -> Environment:
    """After the actions of the task; the official harness does not bring the databases in step for them."""
    environment = world.prepared(task)
    for action in task.actions or ():
        try:
            environment.change(action.requestor, action.name, action.arguments)
        except (ValueError, TypeError, AttributeError, ArithmeticError, LookupError):
            continue
    return environment


def _is_made(action: Action, calls: Sequence[MadeCall]) -> bool:
    return any(call.arguments is not None and action.is_met_by(call.name, call.arguments) for call in calls)


def _is_said(information: str, said: Sequence[str]) -> bool:
    return any(information.lower() in text.lower().replace(",", "") for text in said)


def _value(answer: str) -> object:
    try:
        return json.loads(answer)
    except ValueError:
        return answer


def unsolvable(task: TelecomTask, world: World) -> str | None:
    """Why nobody could be graded on a task here."""
    if task.fault is not None:
        return task.fault
    try:
        environment = world.prepared(task)
        for one in task.assertions or ():
            environment.run(one.requestor, one.name, one.arguments)
    except DataError as error:
        return error.message
    return None
