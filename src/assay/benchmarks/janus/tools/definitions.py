"""The tools: what models are told of them, and the function behind each."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import jsonschema_rs

from assay.benchmarks.janus.tools import figures, office, shop
from assay.domain.errors import UnknownNameError, nearest_names
from assay.domain.json_value import Json

_FOLDER = files("assay.benchmarks.janus.tools")
RUN_PYTHON = "run_python"
# Calls of these change something: one that was not asked for does harm.
WRITING = frozenset(
    {
        "create_event",
        "add_attendee",
        "write_file",
        "cancel_order",
        "place_order",
        "send_message",
        "print_file",
    }
)
_FUNCTIONS: tuple[Callable[..., Json], ...] = (
    office.search_documents, office.read_document, office.find_employee, office.get_employee,
    office.list_events, office.get_event, office.create_event, office.add_attendee,
    office.list_files, office.read_file, office.write_file, office.send_message, office.print_file,
    shop.find_product, shop.get_stock, shop.find_customer, shop.list_orders, shop.get_order,
    shop.cancel_order, shop.place_order, shop.track_parcel,
    figures.calculate, figures.convert_units, figures.convert_currency, figures.get_weather,
)  # fmt: skip
FUNCTIONS: Mapping[str, Callable[..., Json]] = {one.__name__: one for one in _FUNCTIONS}


@dataclass(frozen=True, slots=True)
class Tool:
    """An OpenAI tool definition, with its parameters as a compiled JSON Schema."""

    name: str
    definition: Mapping[str, Json]
    parameters: Mapping[str, Any]
    validator: jsonschema_rs.Validator

    def with_defaults(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Valid arguments, with the default of each one that was left out; 2.0 is the integer 2."""
        schemas: Mapping[str, Any] = self.parameters["properties"]
        defaults = {name: schema["default"] for name, schema in schemas.items() if "default" in schema}
        given = {
            name: int(value) if schemas[name].get("type") == "integer" else value
            for name, value in arguments.items()
        }
        return {**defaults, **given}


@cache
def all_tools() -> Mapping[str, Tool]:
    found: list[dict[str, Any]] = json.loads(_FOLDER.joinpath("tools.json").read_text(encoding="utf-8"))
    return {one["name"]: _tool(one) for one in found}


def tools_named(names: Iterable[str]) -> Mapping[str, Tool]:
    known = all_tools()
    for name in names:
        if name not in known:
            raise UnknownNameError("tool of the simulator", name, nearest=nearest_names(name, known))
    return {name: known[name] for name in names}


def _tool(function: dict[str, Any]) -> Tool:
    parameters = function["parameters"]
    return Tool(
        function["name"],
        {"type": "function", "function": function},
        parameters,
        jsonschema_rs.validator_for(parameters),
    )
