"""Runs with a stopping rule over HTTP."""

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.models.directory import HttpModelDirectory
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.domain.run import RunId
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from tests.builders import LetterBenchmark, World, rewired
from tests.integration.serving import client_for, services
from tests.stores import memory_stores

ASKED: dict[str, Any] = {
    "models": ["sim/oracle", "sim/null"],
    "selected_benchmarks": ["letters"],
    "config": {"data": "demo"},
}


@pytest.fixture
def wired() -> ApiServices:
    catalogue = Catalogue({"letters": LetterBenchmark(size=200)})
    engine = rewired(World().engine, catalogue=catalogue, models=HttpModelDirectory({}))
    return replace(services(memory_stores()), engine=engine)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


async def test_a_race_is_started_and_followed_over_http(wired: ApiServices, client: TestClient) -> None:
    stop = {"margin": 0.05, "until": "better"}
    run = client.post("/api/runs", json=ASKED | {"stop": stop}).json()
    assert run["stop"] == {"margin": 0.05, "alpha": 0.05, "until": "better", "bar": None}
    waiting = client.get(f"/api/runs/{run['id']}/race").json()
    assert [one["verdict"] for one in waiting["contests"]] == ["inconclusive"]
    await execute_run(wired.engine, RunId(run["id"]))
    found = client.get(f"/api/runs/{run['id'][:8]}/race").json()
    [contest] = found["contests"]
    assert (contest["ours"], contest["theirs"], contest["verdict"]) == ("sim/oracle", "sim/null", "better")
    assert contest["decided_after"] == contest["asked"] == contest["sequence"][-1]["items"] < 20
    assert contest["sequence"][-1]["low"] > 0
    saving = found["saving"]
    assert saving["attempts"] < saving["all_attempts"] == 400
    assert saving["sentence"].startswith(f"{saving['attempts']} of 400 attempts made: saved ")
    [ours, _] = client.get(f"/api/runs/{run['id']}").json()["evaluations"]
    assert ours["stopped"]["after"] == contest["decided_after"]
    assert ours["stopped"]["sentence"].startswith("stopped: decided after")


async def test_a_bar_is_given_as_a_condition(wired: ApiServices, client: TestClient) -> None:
    body = {"model_id": "sim/oracle", "selected_benchmarks": ["letters"], "config": {"data": "demo"}}
    run = client.post("/api/runs", json=body | {"stop": {"bar": "score > 0.8"}}).json()
    await execute_run(wired.engine, RunId(run["id"]))
    [contest] = client.get(f"/api/runs/{run['id']}/race").json()["contests"]
    assert (contest["theirs"], contest["verdict"]) == (None, "above")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stop": {"bar": "accuracy"}}, "score > 0.8"),
        ({"stop": {"bar": 0.8, "margin": 0.02}}, "belong to a comparison"),
        ({"models": ["sim/oracle"], "stop": {}}, "needs two models"),
        ({"stop": {"margin": 0.9}}, "less than or equal to 0.5"),
        ({"stop": {"until": "bored"}}, "decided"),
    ],
)
def test_a_rule_that_is_none_is_refused(client: TestClient, changes: dict[str, Any], message: str) -> None:
    response = client.post("/api/runs", json=ASKED | changes)
    assert response.status_code == 422
    assert message in response.text
    assert '"stop' in response.text


def test_a_run_that_asks_everything_has_no_race(client: TestClient) -> None:
    run = client.post("/api/runs", json=ASKED).json()
    assert run["stop"] is None
    response = client.get(f"/api/runs/{run['id']}/race")
    assert response.status_code == 422
    assert "no stopping rule" in response.text
