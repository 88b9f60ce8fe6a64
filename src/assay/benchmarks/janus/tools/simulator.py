"""Answers the tool calls of one conversation; the same calls get the same results, whatever the machine."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import jsonschema_rs

from assay.benchmarks.janus.tools.definitions import FUNCTIONS, RUN_PYTHON, Tool
from assay.benchmarks.janus.tools.errors import Fault, ToolError
from assay.benchmarks.janus.tools.programs import run_python
from assay.benchmarks.janus.tools.world import World, new_world
from assay.domain.calls.messages import ToolCall
from assay.domain.programs.sandbox import Sandbox

MOST_ARGUMENT_CHARACTERS = 20_000
_MOST_ERROR_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model is sent; `fault` says why it is an error."""

    content: str
    fault: Fault | None = None


@dataclass(slots=True)
class Simulator:
    """Carries out calls of the offered tools; `sandbox` is needed where `run_python` is among them."""

    tools: Mapping[str, Tool]
    sandbox: Sandbox | None = None
    world: World = field(default_factory=new_world)

    async def answer(self, call: ToolCall) -> ToolResult:
        """Never raises for what a model wrote; SandboxError if the sandbox itself failed."""
        tool = self.tools.get(call.name)
        if tool is None:
            offered = ", ".join(self.tools)
            return _error(Fault.UNKNOWN_TOOL, f"there is no tool {call.name[:64]!r}; there are {offered}")
        try:
            arguments = parsed_arguments(tool, call.arguments)
        except ToolError as error:
            return _error(Fault.INVALID_ARGUMENTS, str(error))
        try:
            value = await self._result(tool, arguments)
        except ToolError as error:
            return _error(Fault.REFUSED, str(error), most=2_000)
        return ToolResult(_json_text({"result": value}))

    async def _result(self, tool: Tool, arguments: dict[str, Any]) -> object:
        if tool.name != RUN_PYTHON:
            return FUNCTIONS[tool.name](self.world, **arguments)
        if self.sandbox is None:
            raise ToolError("there is no sandbox to run programs in")
        return await run_python(self.sandbox, arguments["code"], self.world.files)


def parsed_arguments(tool: Tool, text: str) -> dict[str, Any]:
    """The arguments of a call with the defaults filled in; ToolError if the schema forbids them."""
    if len(text) > MOST_ARGUMENT_CHARACTERS:
        raise ToolError(f"the arguments have more than {MOST_ARGUMENT_CHARACTERS:,} characters")
    try:
        # Models send nothing at all to a tool whose parameters are all optional.
        value: object = json.loads(text or "{}", parse_constant=_no_constant, parse_float=_finite)
        # Half a surrogate pair can be neither stored nor sent.
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise ToolError(f"the arguments are not valid JSON: {str(error)[:100]}") from error
    if not isinstance(value, dict):
        raise ToolError("the arguments must be a JSON object")
    try:
        tool.validator.validate(value)
    except (jsonschema_rs.ValidationError, ValueError) as error:
        raise ToolError(_schema_fault(error)) from error
    # Checked above: the schema of every tool describes an object.
    return tool.with_defaults(value)  # pyright: ignore[reportUnknownArgumentType]


def _schema_fault(error: Exception) -> str:
    if not isinstance(error, jsonschema_rs.ValidationError):
        return str(error)
    where = ".".join(map(str, error.instance_path))
    return f"argument {where!r}: {error.message}" if where else error.message


def _error(fault: Fault, message: str, *, most: int = _MOST_ERROR_CHARACTERS) -> ToolResult:
    return ToolResult(_json_text({"error": message[:most]}), fault)


def _json_text(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:30]} is too large")
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
