"""What a run needs is looked at before it starts: endpoints, data, sandbox, judge."""

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.api.app import create_app
from assay.api.endpoint_policy import EndpointPolicy
from assay.domain.benchmark import Benchmark, Need
from assay.domain.errors import DataMissingError
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import BenchmarkData
from tests.builders import CARD, LetterBenchmark, rewired
from tests.integration.serving import client_for, services
from tests.stores import memory_stores

Checks = dict[tuple[str, str], tuple[bool, str]]


@pytest.fixture
def client() -> TestClient:
    wired = services(memory_stores())
    judged = LetterBenchmark(
        card=replace(CARD, name="judged", needs=frozenset({Need.JUDGE, Need.USER_MODEL, Need.SANDBOX}))
    )
    catalogue = Catalogue({"letters": LetterBenchmark(), "judged": judged})
    engine = rewired(wired.engine, catalogue=catalogue)
    keyless = EndpointPolicy(keyless=frozenset({"vllm"}))
    return client_for(create_app(replace(wired, engine=engine, endpoints=keyless)))


def checks_of(client: TestClient, body: dict[str, Any]) -> tuple[bool, Checks]:
    response = client.post("/api/runs/preflight", json=body)
    assert response.status_code == 200, response.text
    found = response.json()
    return found["is_ready"], {
        (one["name"], one["needs"]): (one["is_ready"], one["message"]) for one in found["checks"]
    }


def test_a_run_that_has_everything_is_ready(client: TestClient) -> None:
    body = {"models": ["sim/good"], "selected_benchmarks": ["letters"], "config": {"data": "demo"}}
    is_ready, found = checks_of(client, body)
    assert is_ready
    assert found == {
        ("sim/good", "endpoint"): (True, "sim/good answers"),
        ("letters", "data"): (True, "demo items"),
    }
    assert client.get("/api/runs").json()["total"] == 0


def test_every_wrong_name_and_missing_key_is_told_at_once(client: TestClient) -> None:
    body = {
        "models": ["sgl/x", "openai/gpt-x", "sim/nobody"],
        "selected_benchmarks": ["lettres", "letters"],
        "config": {"data": "demo"},
    }
    is_ready, found = checks_of(client, body)
    assert not is_ready
    for name, needs, part in (
        ("sgl/x", "endpoint", "did you mean 'sglang'?"),
        ("openai/gpt-x", "endpoint", "OPENAI_API_KEY"),
        ("sim/nobody", "endpoint", "nobody"),
        ("lettres", "data", "did you mean 'letters'?"),
    ):
        is_there, message = found[name, needs]
        assert not is_there
        assert part in message
    assert found["letters", "data"][0]


def test_an_endpoint_that_is_away_is_told_and_no_other_host_is_asked(client: TestClient) -> None:
    body = {"models": ["vllm/x"], "selected_benchmarks": ["letters"]}
    away = body | {"config": {"data": "demo", "base_url": "http://127.0.0.1:9/v1"}}
    assert "127.0.0.1:9" in checks_of(client, away)[1]["vllm/x", "endpoint"][1]
    elsewhere = body | {"config": {"data": "demo", "base_url": "http://169.254.169.254/v1"}}
    assert "does not send requests to" in checks_of(client, elsewhere)[1]["vllm/x", "endpoint"][1]


def test_judges_the_users_model_and_a_sandbox_are_looked_for(client: TestClient) -> None:
    body: dict[str, Any] = {"models": ["sim/good"], "selected_benchmarks": ["judged"]}
    found = checks_of(client, body | {"config": {"data": "demo"}})[1]
    assert found["judged", "judge"] == (False, "choose a judge")
    assert not found["judged", "user_model"][0]
    assert not found["judged", "sandbox"][0]
    assert found["judged", "data"][0]
    config = {"data": "demo", "judge": "sim/judge, sgl/y", "user_model": "sim/good"}
    found = checks_of(client, body | {"config": config})[1]
    assert found["judged", "judge"][0]
    assert found["judged", "user_model"][0]
    assert found["sim/judge", "endpoint"][0]
    assert not found["sgl/y", "endpoint"][0]


def test_data_that_is_not_here_is_told() -> None:
    class NoData:
        def open(self, benchmark: Benchmark, where: str) -> BenchmarkData:
            raise DataMissingError(f"the {where} data of {benchmark.card.name!r} is not here: fetch it")

    wired = services(memory_stores())
    app = create_app(replace(wired, engine=rewired(wired.engine, library=NoData())))
    body = {"models": ["sim/good"], "selected_benchmarks": ["letters"]}
    found = checks_of(client_for(app), body)[1]
    assert found["letters", "data"] == (False, "the official data of 'letters' is not here: fetch it")
