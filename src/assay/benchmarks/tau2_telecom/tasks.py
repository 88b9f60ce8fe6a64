"""One task of the official files: a scenario, a state to begin with, and what the reward depends on."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.benchmarks.tau2_telecom.environment import Requestor, task_function
from assay.domain.benchmark import Row
from assay.domain.calls.messages import Json
from assay.domain.errors import InvalidValueError

BASES = frozenset({"DB", "ENV_ASSERTION", "ACTION", "COMMUNICATE"})
_DEFAULT_BASIS = ("DB", "COMMUNICATE")


@dataclass(frozen=True, slots=True)
class Action:
    """A call; as the expected one it may say which arguments are compared."""

    requestor: Requestor
    name: str
    arguments: Mapping[str, Json]
    compared: tuple[str, ...] | None = None

    def is_met_by(self, name: str, arguments: Mapping[str, Json]) -> bool:
        """Compares the arguments that the call has, or those that the task names."""
        if name != self.name:
            return False
        keys = arguments.keys() if self.compared is None else self.compared
        return {key: arguments[key] for key in keys if key in arguments} == {
            key: self.arguments[key] for key in keys if key in self.arguments
        }


@dataclass(frozen=True, slots=True)
class Assertion:
    requestor: Requestor
    name: str
    arguments: Mapping[str, Json]
    expected: bool


@dataclass(frozen=True, slots=True)
class TelecomTask:
    """`fault` says why nobody could be graded on it here; `actions` None differs from none."""

    id: str
    scenario: str
    reason_for_call: str
    setup: tuple[Action, ...]
    actions: tuple[Action, ...] | None
    assertions: tuple[Assertion, ...] | None
    information: tuple[str, ...]
    basis: tuple[str, ...]
    has_criteria: bool = True
    fault: str | None = None


def parse_task(row: Row) -> TelecomTask:
    """Raises InvalidValueError for a row that is no task."""
    try:
        return _parsed(row)
    except InvalidValueError as error:
        raise InvalidValueError(f"{row.get('id')!r} is no task: {error.message}") from error


def _parsed(row: Row) -> TelecomTask:
    state = _table(row, "initial_state")
    criteria = _table(row, "evaluation_criteria")
    scenario = _table(row, "user_scenario")
    actions, assertions = criteria.get("actions"), criteria.get("env_assertions")
    basis = criteria.get("reward_basis")
    task = TelecomTask(
        id=_text(row, "id"),
        scenario=scenario_text(scenario),
        reason_for_call=_reason(scenario),
        setup=tuple(map(_setup_call, _tables(state, "initialization_actions"))),
        actions=None if actions is None else tuple(map(_action, _tables(criteria, "actions"))),
        assertions=None
        if assertions is None
        else tuple(map(_assertion, _tables(criteria, "env_assertions"))),
        information=tuple(map(str, _list(criteria, "communicate_info"))),
        basis=_DEFAULT_BASIS if basis is None else tuple(map(str, _list(criteria, "reward_basis"))),
        has_criteria=row.get("evaluation_criteria") is not None,
        fault=_fault(row, state),
    )
    unknown = _unknown(task)
    return task if unknown is None or task.fault is not None else replace(task, fault=unknown)


def scenario_text(scenario: Row) -> str:
    """As the official user simulator is told it."""
    lines: list[str] = []
    if scenario.get("persona") is not None:
        lines += ["Persona:", _indented(scenario["persona"])]
    instructions = scenario.get("instructions")
    told = _instructions(instructions) if isinstance(instructions, Mapping) else str(instructions)
    return "\n".join([*lines, "Instructions:", textwrap.indent(told, "\t")])


def _instructions(instructions: Row) -> str:
    lines = [f"Domain: {instructions.get('domain')}"]
    for key, title in (
        ("reason_for_call", "Reason for call"),
        ("known_info", "Known info"),
        ("unknown_info", "Unknown info"),
        ("task_instructions", "Task instructions"),
    ):
        if instructions.get(key) is not None:
            lines.append(f"{title}:\n{_indented(instructions[key])}")
    return "\n".join(lines)


def _indented(text: Json) -> str:
    return textwrap.indent(str(text), "\t")


def _reason(scenario: Row) -> str:
    instructions = scenario.get("instructions")
    return str(instructions.get("reason_for_call") if isinstance(instructions, Mapping) else instructions)


def _fault(row: Row, state: Row) -> str | None:
    for key in ("initialization_data", "message_history"):
        if state.get(key):
            return f"its {key!r} is not supported"
    return None if row.get("user_tools") is None else "its choice of user tools is not supported"


def _unknown(task: TelecomTask) -> str | None:
    """Something that the task names and the environment does not have."""
    strangers = sorted(set(task.basis) - BASES)
    if strangers:
        return f"its reward depends on {strangers[0]}, which is not supported"
    for one in (*task.setup, *(task.assertions or ())):
        if task_function(one.requestor, one.name) is None:
            return f"it needs a function {one.name!r} that the environment does not have"
    return None


def _setup_call(row: Row) -> Action:
    return Action(_requestor(row, "env_type"), _text(row, "func_name"), _table(row, "arguments"))


def _action(row: Row) -> Action:
    compared = None if row.get("compare_args") is None else tuple(map(str, _list(row, "compare_args")))
    return Action(_requestor(row, "requestor"), _text(row, "name"), _table(row, "arguments"), compared)


def _assertion(row: Row) -> Assertion:
    return Assertion(
        _requestor(row, "env_type"),
        _text(row, "func_name"),
        _table(row, "arguments"),
        expected=row.get("assert_value") is not False,
    )


def _requestor(row: Row, key: str) -> Requestor:
    found = row.get(key, "assistant")
    if found not in ("assistant", "user"):
        raise InvalidValueError(f"{key!r} is 'assistant' or 'user', not {found!r}")
    return found


def _text(row: Row, key: str) -> str:
    found = row.get(key)
    if not isinstance(found, str) or not found:
        raise InvalidValueError(f"{key!r} is not a text")
    return found


def _table(row: Row, key: str) -> Row:
    found = row.get(key)
    if found is not None and not isinstance(found, Mapping):
        raise InvalidValueError(f"{key!r} is not an object")
    return found or {}


def _list(row: Row, key: str) -> Sequence[Json]:
    found = row.get(key)
    if found is not None and (not isinstance(found, Sequence) or isinstance(found, str)):
        raise InvalidValueError(f"{key!r} is not a list")
    return found or ()


def _tables(row: Row, key: str) -> Sequence[Row]:
    return [_table({key: one}, key) for one in _list(row, key)]
