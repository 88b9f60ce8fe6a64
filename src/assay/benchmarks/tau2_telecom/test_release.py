"""The official files: found in their folders, and refused with a reason."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.benchmarks.tau2_telecom.release import load_release
from assay.benchmarks.tau2_telecom.task import benchmark
from assay.benchmarks.tau2_telecom.tasks import parse_task, scenario_text
from assay.domain.errors import DataMissingError, InvalidValueError

DEMO = Path(__file__).parent / "demo"
LINES = json.loads((DEMO / "tasks.json").read_text())


@pytest.fixture
def flat(tmp_path: Path) -> Path:
    """All files side by side."""
    return Path(shutil.copytree(DEMO, tmp_path / "flat"))


def loaded(folder: Path, split: str = "base") -> int:
    return len(load_release(folder, split=split, policy="manual").rows)


def test_a_checkout_has_the_files_in_two_folders(flat: Path, tmp_path: Path) -> None:
    domain = tmp_path / "checkout/data/tau2/domains/telecom"
    guidelines = tmp_path / "checkout/data/tau2/user_simulator"
    shutil.copytree(flat, domain)
    guidelines.mkdir()
    (domain / "simulation_guidelines_tools.md").rename(guidelines / "simulation_guidelines_tools.md")
    assert loaded(tmp_path / "checkout") == loaded(domain) == loaded(flat) == 4
    data = benchmark.own_data(str(tmp_path / "checkout"))
    assert data.revision == "file:checkout"
    assert data.checksum == benchmark.own_data("demo").checksum


def test_without_a_file_of_all_tasks_those_of_parts_are_read(flat: Path) -> None:
    (flat / "tasks.json").unlink()
    (flat / "tasks_one.json").write_text(json.dumps(LINES[:2]))
    (flat / "tasks_two.json").write_text(json.dumps(LINES[1:]))
    assert loaded(flat) == 4
    (flat / "tasks_two.json").write_text(json.dumps([{**LINES[1], "ticket": "other"}, *LINES[2:]]))
    with pytest.raises(InvalidValueError, match="is in two files"):
        loaded(flat)


def test_a_policy_or_database_of_another_content_is_other_data(flat: Path) -> None:
    before = benchmark.own_data(str(flat)).checksum
    seen = {before}
    for name in ("main_policy.md", "tech_support_manual.md", "simulation_guidelines_tools.md"):
        with (flat / name).open("a") as file:
            file.write("More.\n")
        seen.add(benchmark.own_data(str(flat)).checksum)
    (flat / "user_db.toml").write_text("[device]\nbattery_level = 3\n")
    assert len(seen | {benchmark.own_data(str(flat)).checksum}) == 5


SPOILT: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (shutil.rmtree, "has no 'db.toml'"),
    "no policy": (lambda folder: (folder / "main_policy.md").unlink(), "main_policy.md' is missing"),
    "no guidelines": (
        lambda folder: (folder / "simulation_guidelines_tools.md").unlink(),
        "guidelines_tools.md' is missing",
    ),
    "no tasks": (lambda folder: (folder / "tasks.json").unlink(), "has no 'tasks.json'"),
    "no splits": (lambda folder: (folder / "split_tasks.json").unlink(), "split_tasks.json' is missing"),
    "other split": (
        lambda folder: (folder / "split_tasks.json").write_text('{"a": ["b"]}'),
        "no list 'base'",
    ),
    "splits of others": (
        lambda folder: (folder / "split_tasks.json").write_text('{"base": ["x", "y"]}'),
        "2 of the 2 tasks",
    ),
    "no list": (lambda folder: (folder / "tasks.json").write_text("{}"), "is not a list"),
    "no tasks in it": (lambda folder: (folder / "tasks.json").write_text("[1]"), "no task"),
    "no JSON": (lambda folder: (folder / "tasks.json").write_text("["), "is not JSON"),
    "deep": (lambda folder: (folder / "tasks.json").write_text("[" * 100_000), "is not JSON"),
    "no UTF-8": (lambda folder: (folder / "main_policy.md").write_bytes(b"\xff"), "is not UTF-8"),
    "no TOML": (lambda folder: (folder / "db.toml").write_text("="), "is not TOML"),
    "other columns": (lambda folder: (folder / "user_db.toml").write_text("x = 1"), "user_db.toml': x: "),
    "wrong type": (
        lambda folder: (folder / "user_db.toml").write_text('[device]\nbattery_level = "full"'),
        "device.battery_level: ",
    ),
}


@pytest.mark.parametrize(("spoil", "message"), SPOILT.values(), ids=list(SPOILT))
def test_what_cannot_be_read_is_named(flat: Path, spoil: Callable[[Path], object], message: str) -> None:
    spoil(flat)
    with pytest.raises(InvalidValueError, match=message):
        loaded(flat)


def test_the_official_files_are_not_fetched() -> None:
    with pytest.raises(DataMissingError, match="sierra-research/tau2-bench"):
        benchmark.own_data("official")


def changed(**changes: Any) -> dict[str, Any]:
    criteria = {**LINES[0]["evaluation_criteria"], **changes.pop("criteria", {})}
    state = {**LINES[0]["initial_state"], **changes.pop("state", {})}
    return {**LINES[0], "evaluation_criteria": criteria, "initial_state": state, **changes}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (changed(criteria={"reward_basis": ["NL_ASSERTION"]}), "NL_ASSERTION"),
        (changed(state={"message_history": [{}]}), "'message_history'"),
        (changed(state={"initialization_data": {"agent_data": {}}}), "'initialization_data'"),
        (changed(user_tools=["toggle_data"]), "user tools"),
        (
            changed(
                state={"initialization_actions": [{"env_type": "user", "func_name": "f", "arguments": {}}]}
            ),
            "a function 'f'",
        ),
        (
            changed(
                state={
                    "initialization_actions": [
                        {"env_type": "user", "func_name": "break_vpn", "arguments": {"a": 1}}
                    ]
                }
            ),
            "'break_vpn' of the task failed",
        ),
        (
            changed(criteria={"env_assertions": [{"env_type": "user", "func_name": "g", "arguments": {}}]}),
            "a function 'g'",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_tasks_that_cannot_be_run_are_listed_and_not_dropped(
    flat: Path, row: dict[str, Any], fault: str
) -> None:
    (flat / "tasks.json").write_text(json.dumps([row, *LINES[1:]]))
    items = benchmark.load(benchmark.own_data(str(flat)).tables).items
    assert len(items) == 4
    (found,) = benchmark.unsupported(items).items()
    assert found[0] == LINES[0]["id"]
    assert fault in found[1]


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"id": 7},
        changed(initial_state=[]),
        changed(criteria={"actions": "x"}),
        changed(criteria={"actions": [{"name": "f", "requestor": "nobody"}]}),
        changed(criteria={"actions": [{"name": "f", "arguments": [1]}]}),
        changed(criteria={"env_assertions": [7]}),
    ],
)
def test_rows_that_are_no_tasks_are_refused(row: dict[str, Any]) -> None:
    with pytest.raises(InvalidValueError, match="is no task"):
        parse_task(row)


def test_the_scenario_is_told_in_the_official_form() -> None:
    told = {"domain": "telecom", "reason_for_call": "a\nb", "known_info": None, "task_instructions": "c"}
    assert scenario_text({"persona": "p", "instructions": told}) == (
        "Persona:\n\tp\nInstructions:\n\tDomain: telecom\n\tReason for call:\n\t\ta\n\t\tb\n"
        "\tTask instructions:\n\t\tc"
    )
    assert scenario_text({"persona": None, "instructions": "as text"}) == "Instructions:\n\tas text"


def test_a_task_without_a_basis_has_the_official_default() -> None:
    task = parse_task(changed(criteria={"reward_basis": None, "env_assertions": None}))
    assert (task.basis, task.assertions) == (("DB", "COMMUNICATE"), None)
