"""Answers of several models side by side, and what labels make of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from tests.integration.dataset_service import dataset_services, executed, form, jsonl
from tests.integration.serving import client_for

LINES: list[dict[str, Any]] = [
    {"custom_id": "z", "body": {"messages": [{"role": "user", "content": "Paris."}]}, "expected": "paris",
     "grader": "contains"},
    {"custom_id": "m", "body": {"messages": [{"role": "user", "content": "2 + 2 = ?"}]}, "expected": "4"},
    {"custom_id": "a", "body": {"messages": [{"role": "user", "content": "Say hello"}]}},
]  # fmt: skip


@pytest.fixture
def wired(tmp_path: Path) -> ApiServices:
    return dataset_services(tmp_path)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


@pytest.fixture
async def run(client: TestClient, wired: ApiServices) -> dict[str, Any]:
    client.post("/admin/datasets/upload", files=form(jsonl(LINES)))
    asked = {"models": ["sim/oracle", "sim/echo"], "selected_benchmarks": ["dataset:capitals"]}
    started = client.post("/api/runs", json=asked).json()
    await executed(wired.engine, started["id"])
    found: dict[str, Any] = client.get(f"/api/runs/{started['id']}").json()
    return found


def test_answers_stand_side_by_side_in_the_order_of_the_data(client: TestClient, run: dict[str, Any]) -> None:
    found = client.get("/api/compare/answers", params={"run": run["id"]}).json()
    assert [side["model"] for side in found["evaluations"]] == ["sim/oracle", "sim/echo"]
    assert [row["item_id"] for row in found["items"]] == ["z", "m", "a"]
    [pair] = found["agreement"]
    # Letter case and marks do not count.
    assert (pair["total_compared"], pair["identical"], pair["different"]) == (3, 1, 2)
    assert pair["agreement_rate"]["value"] == pytest.approx(1 / 3)
    second = found["items"][1]
    assert (second["is_same"], second["expected"]) == (False, "4")
    ours, theirs = second["cells"]
    assert (ours["answer"], ours["score"], ours["diff"]) == ("4", 1.0, None)
    assert (theirs["answer"], theirs["score"]) == ("2 + 2 = ?", 0.0)
    assert "-4\n+2 + 2 = ?" in theirs["diff"]


def test_items_are_chosen_by_whether_the_answers_differ(client: TestClient, run: dict[str, Any]) -> None:
    def shown(**query: str) -> list[str]:
        response = client.get("/api/compare/answers", params={"run": run["id"], **query})
        return [row["item_id"] for row in response.json()["items"]]

    assert shown(show="different") == ["m", "a"]
    assert shown(show="same") == ["z"]
    assert shown(show="different", by="exact") == ["z", "m", "a"]
    assert shown(limit="1", offset="1") == ["m"]


def test_judges_say_which_differing_answers_mean_the_same(client: TestClient, run: dict[str, Any]) -> None:
    ours, theirs = [one["id"] for one in run["evaluations"]]
    asked = {"evaluation_a": ours, "evaluation_b": theirs, "judge": "sim/good"}
    response = client.post("/api/compare/judged", json=asked)
    assert response.status_code == 200, response.text
    found = response.json()
    assert (found["total_compared"], found["identical"], found["judged"]) == (3, 1, 2)
    assert found["same"] + found["different"] + found["undecided"] == 2
    assert [one["item_id"] for one in found["items"]] == ["m", "a"]
    assert client.post("/api/compare/judged", json=asked | {"limit": 1}).json()["not_judged"] == 1


def test_one_benchmark_and_two_evaluations_are_needed(client: TestClient, run: dict[str, Any]) -> None:
    evaluation = run["evaluations"][0]["id"]
    response = client.get("/api/compare/answers", params={"evaluation": evaluation})
    assert (response.status_code, response.json()["code"]) == (422, "invalid-request")
    assert client.get("/api/compare/answers", params={"run": "nosuchrun"}).status_code == 404


def label(client: TestClient, run: dict[str, Any], evaluation: int, item: str, **fields: str) -> None:
    asked = {"evaluation_id": run["evaluations"][evaluation]["id"], "item_id": item, **fields}
    assert client.post(f"/api/runs/{run['id']}/annotations", json=asked).status_code == 201


def test_labelled_answers_become_lines_to_train_on(client: TestClient, run: dict[str, Any]) -> None:
    label(client, run, 0, "m", label="golden")
    label(client, run, 1, "m", label="wrong")
    label(client, run, 1, "a", label="golden")
    label(client, run, 1, "a", label="fix", note="Hello!")
    label(client, run, 0, "z", label="wrong", note="not wanted")
    chat = client.get(f"/api/runs/{run['id']}/training").text.splitlines()
    assert [json.loads(line) for line in chat] == [
        {"messages": [*LINES[1]["body"]["messages"], {"role": "assistant", "content": "4"}]},
        {"messages": [*LINES[2]["body"]["messages"], {"role": "assistant", "content": "Hello!"}]},
    ]
    pairs = client.get(f"/api/runs/{run['id']}/training", params={"form": "preference"}).text.splitlines()
    assert [
        (line["preferred_output"][0]["content"], line["non_preferred_output"][0]["content"])
        for line in map(json.loads, pairs)
    ] == [("4", "2 + 2 = ?"), ("Hello!", "Say hello")]
    compared = client.get("/api/compare/answers", params={"run": run["id"]}).json()
    assert (compared["items"][2]["cells"][1]["label"], compared["items"][2]["cells"][1]["note"]) == (
        "fix",
        "Hello!",
    )
