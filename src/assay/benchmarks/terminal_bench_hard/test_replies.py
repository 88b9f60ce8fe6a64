"""Reading the agent's replies; the official vectors are in the contract tests."""

import json
import math

import pytest

from assay.benchmarks.terminal_bench_hard.replies import Command, parse_reply


def reply(**fields: object) -> str:
    return json.dumps({"analysis": "a", "plan": "p", "commands": [], **fields})


def test_text_around_the_object_is_remarked_upon() -> None:
    found = parse_reply(f"Sure:\n{reply()}\nDone.")
    assert not found.error
    assert found.warning == (
        "- Extra text detected before JSON object\n- Extra text detected after JSON object"
    )


def test_a_faulty_command_does_not_matter_once_the_task_is_done() -> None:
    found = parse_reply(reply(commands=["ls"], task_complete="yes"))
    assert (found.commands, found.is_task_complete, found.error) == ((), True, "")
    assert found.warning == "- Command 1 must be an object"


def test_unknown_fields_and_odd_durations() -> None:
    commands = [
        {"keystrokes": "x\n", "duration": "2", "b": 1, "a": 2},
        {"keystrokes": "", "duration": 10**400},
    ]
    found = parse_reply(reply(commands=commands))
    assert found.commands == (Command("x\n", 1.0), Command("", math.inf))
    assert "Invalid duration value, using default 1.0" in found.warning
    assert "Command 1: Unknown fields: a, b" in found.warning


def test_an_object_inside_other_text_is_found() -> None:
    found = parse_reply('"quoted { ' + reply())
    assert found.warning.startswith("- AUTO-CORRECTED: Extracted JSON from mixed content")


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "[]",
        "null",
        "{}",
        "{" * 100_000,
        '{"a":' * 100_000,
        "\\" * 100_001,
        '"' * 99_999,
        "[" * 100_000,
        "}{" * 50_000,
    ],
)
def test_odd_replies_have_an_error(odd: str) -> None:
    assert parse_reply(odd).error
