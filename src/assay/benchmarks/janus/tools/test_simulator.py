"""The tools answer whatever a model sends: with a result or with an error, never with an exception."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.janus.tools.definitions import RUN_PYTHON, all_tools
from assay.benchmarks.janus.tools.simulator import Simulator, ToolResult
from assay.domain.calls.messages import Json, ToolCall

TOOLS = {name: tool for name, tool in all_tools().items() if name != RUN_PYTHON}
TEXTS: st.SearchStrategy[Json] = st.sampled_from(
    (
        *(
            "",
            "Oslo, NO",
            "2026-03-05",
            "10:30",
            "emp_0a34c246",
            "../../etc/passwd",
            "9**9**9",
            "1/0",
            "\x00",
        ),
        *("pump", "OSL-1", "EUR", "mi", "((((", "notes/ideas.txt", "x" * 200),
    )
)
NUMBERS: st.SearchStrategy[Json] = st.sampled_from((0, 1, 2.0, 24, 480.0, -5, 1.5, 10**30, 1e308))
ODD: st.SearchStrategy[Json] = st.none() | st.booleans() | st.just([[1]])


def answer(name: str, arguments: object) -> ToolResult:
    call = ToolCall("call", name, json.dumps(arguments))
    return asyncio.run(Simulator(TOOLS).answer(call))


def arguments_of(schema: Mapping[str, Any]) -> st.SearchStrategy[Json]:
    if "enum" in schema:
        return st.sampled_from(schema["enum"]) | ODD
    return (NUMBERS if schema.get("type") in ("integer", "number") else TEXTS) | ODD


@given(st.data())
def test_every_call_has_an_answer(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(TOOLS)))
    schemas: Mapping[str, Any] = TOOLS[name].parameters["properties"]
    arguments = data.draw(st.fixed_dictionaries({key: arguments_of(one) for key, one in schemas.items()}))
    found = answer(name, arguments)
    assert set(json.loads(found.content)) == ({"error"} if found.fault else {"result"})


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_documents", {"query": "pump", "limit": 2}),
        (
            "create_event",
            {"title": "Filter change", "date": "2026-03-06", "start_time": "13:10", "duration_minutes": 40},
        ),
        ("print_file", {"path": "reports/energy_2025.csv", "printer": "lab", "copies": 3}),
    ],
)
def test_a_whole_number_with_a_point_is_an_integer(name: str, arguments: dict[str, Any]) -> None:
    with_point = {key: float(value) if isinstance(value, int) else value for key, value in arguments.items()}
    assert answer(name, with_point) == answer(name, arguments)
    assert answer(name, arguments).fault is None
