"""Reads a reply of the agent: JSON with commands, and remarks on its form that the model gets back."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from assay.domain.calls.messages import Json

_FIELDS = ("analysis", "plan", "commands")
_COMMAND_FIELDS = frozenset({"keystrokes", "duration"})
_DEFAULT_DURATION_S = 1.0
_SHOWN = 200
_OBJECTS = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
_YES = ("true", "1", "yes")
_CORRECTED = "AUTO-CORRECTED: {} - please fix this in future responses"


@dataclass(frozen=True, slots=True)
class Command:
    keystrokes: str
    duration: float


@dataclass(frozen=True, slots=True)
class AgentReply:
    """`is_task_complete` is the value as it was given: whatever is true in Python counts as yes."""

    commands: tuple[Command, ...] = ()
    is_task_complete: Json = False
    error: str = ""
    warning: str = ""


class _ReplyError(Exception):
    """What the model is told when its reply cannot be used."""


def parse_reply(reply: str) -> AgentReply:
    """The commands in a reply; a reply in another form has an error instead, a repaired one a warning."""
    parsed = _parsed(reply)
    if not parsed.error:
        return parsed
    for remark, repaired in _repairs(reply, parsed.error):
        again = _parsed(repaired)
        if not again.error:
            warning = f"- {_CORRECTED.format(remark)}"
            return replace(again, warning=f"{warning}\n{again.warning}" if again.warning else warning)
    return parsed


def _parsed(reply: str) -> AgentReply:
    warnings: list[str] = []
    is_complete: Json = False
    try:
        content = _object_in(reply, warnings)
        found = _checked(content, warnings)
        is_complete = found.get("task_complete", False)
        if isinstance(is_complete, str):
            is_complete = is_complete.lower() in _YES
        commands = _commands(cast("Sequence[Json]", found["commands"]), warnings)
    except _ReplyError as error:
        if not is_complete:
            return AgentReply(error=str(error), warning=_listed(warnings))
        # The task is done: a faulty command no longer matters.
        return AgentReply(is_task_complete=True, warning=_listed([*warnings, str(error)]))
    return AgentReply(commands, is_complete, warning=_listed(warnings))


def _object_in(reply: str, warnings: list[str]) -> str:
    """The first text with balanced braces; quotes and backslashes count outside of it too."""
    start, end = _bounds(reply)
    if end is None:
        warnings.append("No valid JSON object found")
        raise _ReplyError("No valid JSON found in response")
    if reply[:start].strip():
        warnings.append("Extra text detected before JSON object")
    if reply[end:].strip():
        warnings.append("Extra text detected after JSON object")
    return reply[start:end]


def _bounds(reply: str) -> tuple[int, int | None]:
    start, depth = -1, 0
    is_quoted = is_escaped = False
    for place, character in enumerate(reply):
        if is_escaped:
            is_escaped = False
        elif character == "\\":
            is_escaped = True
        elif character == '"':
            is_quoted = not is_quoted
        elif is_quoted or character not in "{}":
            continue
        elif character == "{":
            start = place if depth == 0 else start
            depth += 1
        else:
            depth -= 1
            if depth == 0 and start != -1:
                return start, place + 1
    return start, None


def _checked(content: str, warnings: list[str]) -> Mapping[str, Json]:
    try:
        found: Json = json.loads(content)
    except (ValueError, RecursionError) as error:
        shown = (
            f" | Content: {content!r}"
            if len(content) < _SHOWN
            else f" | Content preview: {content[: _SHOWN // 2]!r}..."
        )
        raise _ReplyError(f"Invalid JSON: {error}{shown}") from error
    if not isinstance(found, Mapping):
        raise _ReplyError("Response must be a JSON object")
    missing = [name for name in _FIELDS if name not in found]
    if missing:
        raise _ReplyError(f"Missing required fields: {', '.join(missing)}")
    warnings += [
        f"Field '{name}' should be a string"
        for name in ("analysis", "plan")
        if not isinstance(found[name], str)
    ]
    if not isinstance(found["commands"], list):
        raise _ReplyError("Field 'commands' must be an array")
    warnings += _order_warning(content)
    complete = found.get("task_complete")
    if complete is not None and not isinstance(complete, bool | str):
        warnings.append("Field 'task_complete' should be a boolean or string")
    return found


def _order_warning(content: str) -> list[str]:
    places = {name: place.start() for name in _FIELDS if (place := re.search(rf'"{name}"\s*:', content))}
    expected, found = list(places), sorted(places, key=places.__getitem__)
    if found == expected:
        return []
    orders = f"Found: {' → '.join(found)}, expected: {' → '.join(expected)}"
    return [f"Fields appear in wrong order. {orders}"]


def _commands(listed: Sequence[Json], warnings: list[str]) -> tuple[Command, ...]:
    commands: list[Command] = []
    for number, one in enumerate(listed, start=1):
        if not isinstance(one, Mapping):
            raise _ReplyError(f"Command {number} must be an object")
        if "keystrokes" not in one:
            raise _ReplyError(f"Command {number} missing required 'keystrokes' field")
        keystrokes = one["keystrokes"]
        if not isinstance(keystrokes, str):
            raise _ReplyError(f"Command {number} 'keystrokes' must be a string")
        duration = _duration(number, one, warnings)
        unknown = one.keys() - _COMMAND_FIELDS
        if unknown:
            warnings.append(f"Command {number}: Unknown fields: {', '.join(sorted(unknown))}")
        if number < len(listed) and not keystrokes.endswith("\n"):
            warnings.append(
                f"Command {number} should end with newline when followed by another command."
                " Otherwise the two commands will be concatenated together on the same line."
            )
        commands.append(Command(keystrokes, duration))
    return tuple(commands)


def _duration(number: int, command: Mapping[str, Json], warnings: list[str]) -> float:
    if "duration" not in command:
        warnings.append(f"Command {number}: Missing duration field, using default 1.0")
        return _DEFAULT_DURATION_S
    duration = command["duration"]
    if not isinstance(duration, int | float):
        warnings.append(f"Command {number}: Invalid duration value, using default 1.0")
        return _DEFAULT_DURATION_S
    try:
        return float(duration)
    except OverflowError:
        return math.inf


def _repairs(reply: str, error: str) -> list[tuple[str, str]]:
    """Other readings of a reply with this error, with what the model is told about each."""
    found: list[tuple[str, str]] = []
    missing = reply.count("{") - reply.count("}")
    words = ("Invalid JSON", "Expecting", "Unterminated", "No valid JSON found")
    if missing > 0 and any(word in error for word in words):
        remark = "Fixed incomplete JSON by adding missing closing brace"
        found.append((remark, reply + "}" * missing))
    valid = next((one for one in _OBJECTS.findall(reply) if _is_json(one)), None)
    if valid is not None:
        found.append(("Extracted JSON from mixed content", valid))
    return found


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _listed(warnings: Sequence[str]) -> str:
    return "- " + "\n- ".join(warnings) if warnings else ""
