"""Labels and later gradings over HTTP, and judges in a request."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.datasets.library import FileDataLibrary
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.benchmarks.aa_lcr.task import benchmark
from assay.domain.run import RunId
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from tests.builders import LetterBenchmark, rewired
from tests.integration.serving import client_for, services
from tests.stores import memory_stores

ASKED: dict[str, Any] = {
    "model_id": "sim/good",
    "selected_benchmarks": ["aa_lcr"],
    "config": {"data": "demo", "judge": "sim/judge"},
}


@pytest.fixture
def wired() -> ApiServices:
    made = services(memory_stores())
    catalogue = Catalogue({"aa_lcr": benchmark, "letters": LetterBenchmark()})
    engine = rewired(made.engine, catalogue=catalogue, library=FileDataLibrary(Path("unused")))
    return replace(made, engine=engine)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


@pytest.fixture
async def run(wired: ApiServices, client: TestClient) -> dict[str, Any]:
    created = client.post("/api/runs", json=ASKED)
    assert created.status_code == 201, created.text
    await execute_run(wired.engine, RunId(created.json()["id"]))
    return client.get(f"/api/runs/{created.json()['id']}").json()


def test_a_judged_run_shows_judge_tokens_and_votes_apart(run: dict[str, Any]) -> None:
    [evaluation] = run["evaluations"]
    assert (run["status"], run["judge"], evaluation["judge"]) == ("succeeded", "sim/judge", "sim/judge")
    assert evaluation["judge_tokens"]["input"] > 0
    assert evaluation["tokens"] != evaluation["judge_tokens"]
    assert (evaluation["judge_cost_usd"], evaluation["agreement"]) == (None, None)


@pytest.mark.parametrize(
    ("judge", "status", "complaint"),
    [
        (None, 422, "give one with `config.judge`"),
        ("sim/nobody", 404, "no simulated model 'nobody'"),
        (5, 422, "config.judge"),
        ({"models": []}, 422, "config.judge"),
        ({"models": ["sim/judge"], "votes": 99}, 422, "config.judge"),
        ({"models": ["sim/judge"], "colour": 1}, 422, "config.judge"),
        ({"models": ["vllm/x"], "base_url": "http://elsewhere.example/v1"}, 422, "base_url"),
    ],
)
def test_a_judge_that_cannot_be_meant_is_refused(
    client: TestClient, judge: object, status: int, complaint: str
) -> None:
    response = client.post("/api/runs", json={**ASKED, "config": {"data": "demo", "judge": judge}})
    assert response.status_code == status, response.text
    assert complaint in response.text
    assert client.get("/api/runs").json()["total"] == 0


def test_judged_benchmarks_are_meant_only_with_a_judge(client: TestClient) -> None:
    every: dict[str, Any] = {"model_id": "sim/good", "config": {"data": "demo"}}
    assert client.post("/api/runs", json=every).json()["selected_benchmarks"] == ["letters"]
    every["config"] = {"data": "demo", "judge": {"models": ["sim/judge"], "votes": 2}}
    created = client.post("/api/runs", json=every).json()
    assert created["selected_benchmarks"] == ["aa_lcr", "letters"]
    assert created["judge"] == "sim/judge; 2 votes"


def test_the_estimate_counts_the_judge_apart(client: TestClient) -> None:
    estimate = client.post("/api/runs/estimate", json=ASKED).json()
    [evaluation] = estimate["evaluations"]
    assert evaluation["judging"]["calls"] == evaluation["attempts"] == 22
    assert evaluation["judging"]["input_tokens"]["low"] > 0
    assert evaluation["judging"]["cost_usd"] is None


def test_answers_are_graded_again_and_both_gradings_shown(client: TestClient, run: dict[str, Any]) -> None:
    path = f"/api/runs/{run['id']}/judgements"
    assert client.get(path).json() == {"judgements": []}
    made = client.post(path, json={"judge": {"models": ["sim/judge?skill=0"]}})
    assert made.status_code == 201, made.text
    [judgement] = made.json()["judgements"]
    assert judgement["before"]["score"]["value"] == pytest.approx(1 - judgement["after"]["score"]["value"])
    assert judgement["changes"]["total_changed"] == judgement["changes"]["attempts"] == 22
    assert judgement["changes"]["agreement"]["observed"] == 0
    assert judgement["after"]["judge"] == "sim/judge?skill=0"
    assert client.get(path).json() == made.json()
    assert client.get(f"/api/runs/{run['id']}").json()["evaluations"] == run["evaluations"]


@pytest.mark.parametrize(
    ("body", "status"),
    [({"benchmark": "letters"}, 422), ({"judge": "sim/nobody"}, 404), ({"judges": "sim/judge"}, 422)],
)
def test_gradings_that_cannot_be_meant_are_refused(
    client: TestClient, run: dict[str, Any], body: dict[str, Any], status: int
) -> None:
    assert client.post(f"/api/runs/{run['id']}/judgements", json=body).status_code == status


def test_a_run_that_has_not_ended_is_not_graded_again(client: TestClient) -> None:
    created = client.post("/api/runs", json=ASKED).json()
    response = client.post(f"/api/runs/{created['id']}/judgements", json={})
    assert response.status_code == 409, response.text


def test_labels_come_and_go_and_are_compared_with_the_grading(
    client: TestClient, run: dict[str, Any]
) -> None:
    path = f"/api/runs/{run['id']}/annotations"
    label = {"evaluation_id": run["evaluations"][0]["id"], "item_id": "s01", "label": "golden", "note": "yes"}
    stored = client.post(path, json=label)
    assert stored.status_code == 201, stored.text
    assert stored.json().items() >= label.items()
    [evaluation] = client.get(path).json()["evaluations"]
    assert evaluation["annotations"] == [stored.json()]
    assert evaluation["agreement"]["n"] == 1
    assert client.delete(f"{path}/{stored.json()['id']}").status_code == 200
    assert client.delete(f"{path}/{stored.json()['id']}").status_code == 404
    assert client.get(path).json()["evaluations"][0]["annotations"] == []


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"item_id": "none"}, 404),
        ({"evaluation_id": "none"}, 404),
        ({"label": "good"}, 422),
        ({"sample": -1}, 422),
    ],
)
def test_labels_of_nothing_are_refused(
    client: TestClient, run: dict[str, Any], change: dict[str, Any], status: int
) -> None:
    label = {"evaluation_id": run["evaluations"][0]["id"], "item_id": "s01", "label": "golden"}
    assert client.post(f"/api/runs/{run['id']}/annotations", json=label | change).status_code == status
