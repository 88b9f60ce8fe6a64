"""The telecom environment, its rewards and pass^k against the official ones."""

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from assay.benchmarks.tau2_telecom.dialogue import Dialogue
from assay.benchmarks.tau2_telecom.environment import Environment, Requestor, tool_names
from assay.benchmarks.tau2_telecom.grading import graded, is_success
from assay.benchmarks.tau2_telecom.release import Release, World, load_release
from assay.benchmarks.tau2_telecom.reward import MadeCall, reward, unsolvable
from assay.benchmarks.tau2_telecom.script import whole_cue
from assay.benchmarks.tau2_telecom.task import benchmark
from assay.benchmarks.tau2_telecom.tasks import TelecomTask, parse_task
from assay.domain.stats import pass_hat_k

pytestmark = pytest.mark.official


@pytest.fixture(scope="module")
def folder(official: Path) -> Path:
    return official / "tau2_telecom"


@pytest.fixture(scope="module")
def release(folder: Path) -> Release:
    return load_release(folder, split="base", policy="manual")


@pytest.fixture(scope="module")
def tasks(folder: Path, release: Release) -> Mapping[str, TelecomTask]:
    rows = [*release.rows, *load_release(folder, split="small", policy="manual").rows]
    return {str(row["id"]): parse_task(row) for row in rows}


def lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as opened:
        yield from map(json.loads, opened)


def hashes(environment: Environment) -> dict[str, str]:
    return {"agent_db_hash": environment.db_hash, "user_db_hash": environment.user_db_hash}


def test_tools_policies_and_databases_are_the_official_ones(folder: Path, release: Release) -> None:
    contract = json.loads((folder / "environment_contract.json").read_text())
    assert list(tool_names().definitions["assistant"]) == contract["agent_tools"]
    assert list(tool_names().definitions["user"]) == contract["user_tools"]
    types = contract["agent_tool_types"] | contract["user_tool_types"]
    assert tool_names().writing == {name for name, kind in types.items() if kind == "write"}
    assert hashes(Environment(release.world.db, release.world.user_db)) == contract["initial"]
    for policy, digest in (("manual", "policy_sha256"), ("workflow", "policy_workflow_sha256")):
        text = load_release(folder, split="small", policy=policy).world.policy
        assert hashlib.sha256(text.encode()).hexdigest() == contract[digest]


def test_every_task_can_be_run_and_its_own_actions_solve_it(release: Release) -> None:
    assert len(release.rows) == 114
    for row in release.rows:
        task = parse_task(row)
        assert unsolvable(task, release.world) is None
        cue = whole_cue(task, release.world)
        assert graded(task, release.world, str(cue.right)).score == 1.0, task.id
        assert graded(task, release.world, str(cue.wrong)).score == 0.0, task.id


def test_an_agent_that_transfers_everybody_reaches_what_the_documentation_says(release: Release) -> None:
    transfer = MadeCall("assistant", "transfer_to_human_agents", {"summary": "x"}, "Transfer successful")
    tasks = [parse_task(row) for row in release.rows]

    def solved(calls: list[MadeCall]) -> float:
        return sum(reward(task, release.world, calls, (), ended="user_stop").value for task in tasks)

    assert (solved([]), solved([transfer])) == (0.0, 20.0)


def test_golden_replays_have_the_official_outputs_and_hashes(
    folder: Path, release: Release, tasks: Mapping[str, TelecomTask]
) -> None:
    count = 0
    for row in lines(folder / "official_golden_replays.jsonl.gz"):
        environment = release.world.prepared(tasks[row["task_id"]])
        assert hashes(environment) == row["after_init"], row["task_id"]
        for call in (*row["reads_before"], row["agent_read"], *row["golden"]):
            result = environment.call(call["requestor"], call["name"], call["arguments"])
            assert (result.content, result.is_error) == (call["content"], call["error"]), row["task_id"]
            if "agent_db_hash" in call:
                assert hashes(environment) == {key: call[key] for key in hashes(environment)}
        for one in row["assertions"]:
            value = environment.run(one["env_type"], one["func_name"], one["arguments"])
            assert (value == one["assert_value"]) is one["met"], one
        for call in row["reads_after"]:
            result = environment.call(call["requestor"], call["name"], call["arguments"])
            assert (result.content, result.is_error) == (call["content"], call["error"]), row["task_id"]
        count += 1
    assert count >= 50


def carried_out(task: TelecomTask, world: World, calls: list[dict[str, Any]]) -> list[MadeCall]:
    """The calls with the answers that they get in a conversation."""
    environment = world.prepared(task)
    made: list[MadeCall] = []
    for call in calls:
        requestor: Requestor = call["requestor"]
        answer = environment.call(requestor, call["name"], call["arguments"]).content
        made.append(MadeCall(requestor, call["name"], call["arguments"], answer))
    return made


def test_rewards_on_call_sequences_are_the_official_ones(
    folder: Path, release: Release, tasks: Mapping[str, TelecomTask]
) -> None:
    count = 0
    for row in lines(folder / "official_rewards_on_call_sequences.jsonl.gz"):
        task = tasks[row["task_id"]]
        made = carried_out(task, release.world, row["calls"])
        found = reward(task, release.world, made, (), ended=row["termination_reason"])
        ours = {
            "reward": found.value,
            "reward_basis": found.basis and list(found.basis),
            "reward_breakdown": dict(found.breakdown or {}),
            "db_match": found.is_db_equal,
            "env_assertions": None if found.assertions is None else list(found.assertions),
            "action_checks": found.actions and list(found.actions),
        }
        assert ours == {key: row[key] for key in ours}, (row["task_id"], row["variant"])
        count += 1
    assert count >= 700


def test_pass_hat_k_is_the_official_one(folder: Path) -> None:
    vectors = json.loads((folder / "pass_hat_k_vectors.json").read_text())["vectors"]
    assert len(vectors) >= 20
    for one in vectors:
        assert pass_hat_k(one["num_trials"], one["successes"], one["k"]) == one["pass_hat_k"]
    assert [is_success(value) for value in (1.0, 1 - 9e-7, 1 - 2e-6, 0.0)] == [True, True, False, False]


def test_splits_are_read_from_the_folder(folder: Path, release: Release) -> None:
    item_set = benchmark.load(benchmark.own_data(str(folder)).tables)
    assert len(item_set.items) == 114
    assert {item.category for item in item_set.items} == {"mobile_data_issue", "mms_issue", "service_issue"}
    assert benchmark.unsupported(item_set.items) == {}
    loaded = {
        name: one.load(one.own_data(str(folder)).tables)
        for name, one in benchmark.variants.items()
        if name != "full"
    }
    assert {name: len(one.items) for name, one in loaded.items()} == {
        "small": 20,
        "test": 40,
        "train": 74,
        "workflow": 114,
    }
    opening = Dialogue(parse_task(release.rows[0]), release.world)
    assert opening.context[0].text.endswith("</scenario>")
    assert "# User Simulation Guidelines" in opening.context[0].text
