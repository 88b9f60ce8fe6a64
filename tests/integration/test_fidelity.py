"""`assay fidelity` from the command line to the API."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assay.adapters.models.directory import HttpModelDirectory
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.domain.calls.messages import Generation
from assay.domain.run import Run, RunSpec
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from tests.builders import LetterBenchmark, World, rewired
from tests.integration.cli import Assay
from tests.integration.serving import client_for, services
from tests.stores import memory_stores

PILOT, MOST = 300, 1_700
FAITHFUL, DEGRADED = "sim/good?endpoint=2", "sim/good?endpoint=1&skill=0.82"


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(tmp_path / "home")


def test_a_provider_that_lost_three_points_is_found_at_the_size_that_is_asked_for(assay: Assay) -> None:
    lines = [{"prompt": f"What is {n} times 7?", "expected": str(7 * n)} for n in range(MOST)]
    (assay.home.parent / "sums.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert assay("datasets", "add", "sums.jsonl").returncode == 0
    asked = ("--benchmarks", "dataset:sums")
    # Half the alpha, as two candidates share it later.
    pilot = assay.json("fidelity", "sim/good", *asked, "--count", str(PILOT), "--alpha", "0.025")
    assert (pilot["verdict"], pilot["candidates"], pilot["items"]) == (None, [], PILOT)
    needed = pilot["items_needed"]
    assert 1_000 < needed < MOST

    done = assay(
        "fidelity", "sim/good", FAITHFUL, DEGRADED, *asked, "--count", str(needed), "--markdown", "out.md"
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("1 of 2 candidates is worse than sim/good\n")
    assert f"✓ {FAITHFUL} is equivalent to sim/good within 3 points" in done.stdout
    assert f"✗ {DEGRADED} is worse than sim/good by" in done.stdout
    assert f"- **worse**: {DEGRADED} is worse" in (assay.home.parent / "out.md").read_text()

    listed = assay.json("list", "--tag", "fidelity")
    run_id, pilot_id = (one["run_id"] for one in listed["runs"])
    assert pilot_id == pilot["run_id"]
    again = assay("fidelity", "--run", run_id, "--json", "--margin", "0.1")
    found = json.loads(again.stdout)
    assert again.returncode == 0
    assert [one["test"]["verdict"] for one in found["candidates"]] == ["equivalent", "equivalent"]
    assert (found["items"], found["samples"], found["temperature"]) == (needed, 2, 0.0)
    turned = assay("fidelity", DEGRADED, "--run", run_id, "--json")
    verdicts = {
        one["facts"]["model"]: one["test"]["verdict"] for one in json.loads(turned.stdout)["candidates"]
    }
    assert verdicts == {"sim/good": "better", FAITHFUL: "better"}
    assert turned.returncode == 1


def test_too_few_items_are_no_evidence(assay: Assay) -> None:
    small = ("--benchmarks", "mmlu_pro,ifeval", "--data", "demo")
    done = assay("fidelity", "sim/good", "sim/good?endpoint=1", *small)
    assert done.returncode == 2
    assert done.stdout.startswith("Not enough items to tell whether the candidate is equivalent to sim/good")


def test_tool_calls_are_compared(assay: Assay) -> None:
    asked = ("--benchmarks", "janus_tool_use", "--count", "12")
    done = assay("fidelity", "sim/oracle", "sim/null", *asked, "--json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    [null] = found["candidates"]
    assert found["reference"]["tool_call_accuracy"]["value"] == 1.0
    assert null["facts"]["tool_call_accuracy"]["value"] == 0.0
    assert null["facts"]["divergence"]["identical"] == 0
    assert found["reference"]["divergence"]["identical"] == found["reference"]["divergence"]["pairs"] == 12


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to compare"),
        (("sim/good", "sim/good"), "named twice"),
        (("sim/good", "sim/weak", "--samples", "1"), "at least 2"),
        (("sim/good", "sim/weak", "--margin", "3"), "such as 0.03 for 3 points"),
        (("sim/good", "sim/weak", "--run", "1234"), "name no model but the reference"),
        (("--run", "1234"), "1234"),
    ],
)
def test_bad_input_is_refused_before_anything_is_asked(
    assay: Assay, arguments: tuple[str, ...], message: str
) -> None:
    code, error = assay.failure("fidelity", *arguments, "--benchmarks", "ifeval", "--data", "demo")
    assert code == 2
    assert message in error


@pytest.fixture
def wired() -> ApiServices:
    catalogue = Catalogue({"letters": LetterBenchmark(size=24)})
    engine = rewired(World().engine, catalogue=catalogue, models=HttpModelDirectory({}))
    return replace(services(memory_stores()), engine=engine)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


async def finished(wired: ApiServices, *models: str) -> Run:
    spec = RunSpec(models, ("letters",), samples=2, generation=Generation(temperature=0.0), data="demo")
    return await execute_run(wired.engine, (await create_run(wired.engine, spec)).id)


def test_a_run_is_judged_over_http(wired: ApiServices, client: TestClient) -> None:
    run = asyncio.run(finished(wired, "sim/oracle", "sim/null", "sim/oracle?seed=1"))
    path = f"/api/runs/{run.id[:8]}/fidelity"
    found = client.get(path).json()
    assert (found["run_id"], found["verdict"], found["margin"], found["level"]) == (
        run.id,
        "worse",
        0.03,
        0.975,
    )
    assert found["reference"]["model"] == "sim/oracle"
    null, same = found["candidates"]
    assert (null["test"]["verdict"], same["test"]["verdict"]) == ("worse", "inconclusive")
    assert null["test"]["statistics"]["difference"] == -1.0
    assert same["benchmarks"] == [{"benchmark": "letters", "candidate": 1.0, "reference": 1.0, "n": 24}]
    assert found["noise_floor"]["flip_rate"] == 0.0
    assert client.get(path).json() == found
    wide = client.get(path, params={"margin": 0.4, "alpha": 0.2}).json()
    assert [one["test"]["verdict"] for one in wide["candidates"]] == ["worse", "equivalent"]
    turned = client.get(path, params={"reference": "sim/null"}).json()
    assert turned["verdict"] == "better"


def test_what_cannot_be_judged_over_http(wired: ApiServices, client: TestClient) -> None:
    run = asyncio.run(finished(wired, "sim/oracle"))
    path = f"/api/runs/{run.id}/fidelity"
    assert client.get(path).json()["verdict"] is None
    assert client.get(path, params={"reference": "sim/other"}).status_code == 404
    assert client.get(path, params={"margin": 0}).status_code == 422
    assert client.get("/api/runs/none/fidelity").status_code == 404
