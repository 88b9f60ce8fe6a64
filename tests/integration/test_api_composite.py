"""Composite scores over HTTP."""

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.models.directory import HttpModelDirectory
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.domain.composite import CompositeRule, Weights
from assay.domain.run import Run, RunSpec
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.composite import JANUS_BENCHMARKS
from tests.builders import CARD, LetterBenchmark, World, rewired
from tests.integration.serving import client_for, services
from tests.stores import memory_stores

PARTS = ["quality", "speed", "cost", "streaming", "multimodal"]
# Without a chance level, so that nothing is taken for a guess.
LETTERS = {
    name: LetterBenchmark(replace(CARD, name=name, chance=0.0)) for name in ("letters", *JANUS_BENCHMARKS)
}


@pytest.fixture
def wired() -> ApiServices:
    engine = rewired(World().engine, catalogue=Catalogue(LETTERS), models=HttpModelDirectory({}))
    return replace(services(memory_stores()), engine=engine)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


async def finished(wired: ApiServices, *models: str, **changes: Any) -> Run:
    spec = RunSpec(models, changes.pop("benchmarks", JANUS_BENCHMARKS), data="demo", **changes)
    return await execute_run(wired.engine, (await create_run(wired.engine, spec)).id)


async def test_a_run_has_a_composite_for_each_model(wired: ApiServices, client: TestClient) -> None:
    run = await finished(wired, "sim/oracle", "sim/null")
    found = client.get(f"/api/runs/{run.id[:8]}/composite").json()
    assert found["run_id"] == run.id
    assert found["weights"] == {
        "quality": 40.0, "speed": 20.0, "cost": 15.0, "streaming": 15.0, "multimodal": 10.0,
    }  # fmt: skip
    assert found["minimum_quality"] == 0.25
    oracle, null = found["models"]
    assert (oracle["model"], oracle["is_janus"]) == ("sim/oracle", True)
    assert [one["part"] for one in oracle["parts"]] == PARTS
    quality = oracle["parts"][0]
    assert (quality["value"], quality["points"], quality["counts"]) == (1.0, 40.0, True)
    assert set(oracle["measures"]) == set(JANUS_BENCHMARKS)
    assert oracle["measures"]["janus_cost"]["output_tokens"]["n"] == 4
    assert oracle["warm_up"] is None
    assert null["score"] == 0.0
    assert [one["counts"] for one in null["parts"]] == [True, False, False, False, True]


@pytest.mark.parametrize("model", ["sim/null", "sim/echo", "sim/refuse"])
async def test_baselines_get_nothing(wired: ApiServices, client: TestClient, model: str) -> None:
    run = await finished(wired, model)
    [found] = client.get(f"/api/runs/{run.id}/composite").json()["models"]
    assert (found["score"], found["low"], found["high"]) == (0.0, 0.0, 0.0)


async def test_what_is_missing_is_said(wired: ApiServices, client: TestClient) -> None:
    run = await finished(wired, "sim/oracle", benchmarks=("letters",))
    [found] = client.get(f"/api/runs/{run.id}/composite").json()["models"]
    assert (found["is_janus"], found["score"]) == (False, None)
    assert "multimodal" in found["missing"]
    assert found["sentence"].startswith("no composite: ")


async def test_the_weights_and_warm_ups_of_the_run_are_used(wired: ApiServices, client: TestClient) -> None:
    rule = CompositeRule(
        Weights(quality=80, speed=0, cost=20, streaming=0, multimodal=0), minimum_quality=0.5
    )
    run = await finished(wired, "sim/oracle", benchmarks=("letters",), composite=rule, warmup=2)
    found = client.get(f"/api/runs/{run.id}/composite").json()
    assert (found["weights"]["quality"], found["minimum_quality"]) == (80.0, 0.5)
    [model] = found["models"]
    assert model["score"] == 100.0
    assert (model["warm_up"]["requests"], model["warm_up"]["failed"]) == (2, 0)


def test_a_run_that_does_not_exist_has_none(client: TestClient) -> None:
    assert client.get("/api/runs/00000000/composite").status_code == 404


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"weights": {"quality": 41}}, "config.weights"),
        ({"weights": {"quality": -1}}, "config.weights.quality"),
        ({"weights": {"taste": 1}}, "config.weights.taste"),
        ({"minimum_quality": 1.5}, "config.minimum_quality"),
        ({"warmup": -1}, "config.warmup"),
        ({"warmup": 101}, "config.warmup"),
    ],
)
def test_weights_that_make_no_whole_are_refused(client: TestClient, config: Any, field: str) -> None:
    request = {"models": ["sim/good"], "selected_benchmarks": ["letters"], "config": config}
    refused = client.post("/api/runs", json=request)
    assert refused.status_code == 422
    assert [one["field"] for one in refused.json()["errors"]] == [field]


def test_weights_are_stored_with_the_run(client: TestClient, wired: ApiServices) -> None:
    weights = {"quality": 50, "speed": 20, "cost": 15, "streaming": 15, "multimodal": 0}
    request = {
        "models": ["sim/good"],
        "selected_benchmarks": ["letters"],
        "config": {"data": "demo", "weights": weights},
    }
    created = client.post("/api/runs", json=request)
    assert created.status_code == 201, created.text
    found = client.get(f"/api/runs/{created.json()['id']}/composite").json()
    assert found["weights"] == weights
