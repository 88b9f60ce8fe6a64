"""`assay noise` from the command line to the API."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.api.app import create_app
from assay.domain.run import RunSpec
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from tests.builders import LetterBenchmark, World, rewired
from tests.integration.cli import Assay
from tests.integration.serving import client_for, services
from tests.stores import memory_stores


@pytest.fixture
def assay(tmp_path: Path) -> Assay:
    return Assay(tmp_path / "home")


def test_a_model_is_compared_with_itself(assay: Assay) -> None:
    done = assay("noise", "sim/good", "mmlu_pro,ifeval", "--data", "demo", "--repeats", "3")
    assert done.returncode == 0, done.stderr
    assert "sim/good on mmlu_pro, asked 3 times: " in done.stdout
    assert "sim/good on ifeval, asked 3 times: " in done.stdout
    assert "Score of each pass: " in done.stdout
    assert "LEAST STEADY ITEMS" in done.stdout

    [run] = assay.json("list", "--tag", "noise")["runs"]
    found = assay.json("noise", "--run", run["run_id"][:8])
    assert (found["run_id"], found["samples"], found["status"]) == (run["run_id"], 3, "succeeded")
    assert [one["benchmark"] for one in found["evaluations"]] == ["mmlu_pro", "ifeval"]
    for one in found["evaluations"]:
        assert len(one["passes"]) == 3
        assert one["spread"]["items"] == one["planned"] == one["passes"][0]["n"]
        assert 0 < one["spread"]["flip_rate"] < 1
        assert len(one["items"]) == round(one["spread"]["flip_rate"] * one["planned"])
        assert all(len(set(item["scores"])) == 2 for item in one["items"])


def test_a_dry_run_asks_nothing(assay: Assay) -> None:
    done = assay("noise", "sim/good", "mmlu_pro", "--data", "demo", "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert assay.json("list")["runs"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a model and a benchmark"),
        (("sim/good",), "name a model and a benchmark"),
        (("sim/good", "mmlu_pro", "--repeats", "1"), "at least 2"),
        (("sim/good", "mmlu_pro", "--run", "1234"), "name no model"),
        (("--run", "1234"), "1234"),
    ],
)
def test_bad_input_is_refused(assay: Assay, arguments: tuple[str, ...], message: str) -> None:
    code, error = assay.failure("noise", *arguments)
    assert code == 2
    assert message in error


def test_a_run_is_reported_over_http() -> None:
    catalogue = Catalogue({"letters": LetterBenchmark(size=24)})
    engine = rewired(World().engine, catalogue=catalogue, models=HttpModelDirectory({}))
    wired = replace(services(memory_stores()), engine=engine)

    async def finished(samples: int) -> str:
        spec = RunSpec(("sim/weak",), ("letters",), samples=samples, data="demo")
        return (await execute_run(wired.engine, (await create_run(wired.engine, spec)).id)).id

    client = client_for(create_app(wired))
    run_id, once = asyncio.run(finished(5)), asyncio.run(finished(1))
    found = client.get(f"/api/runs/{run_id[:8]}/noise").json()
    [one] = found["evaluations"]
    assert (one["model"], one["benchmark"], one["missing"]) == ("sim/weak", "letters", 0)
    assert one["spread"]["items"] == 24
    assert client.get(f"/api/runs/{once}/noise").status_code == 422
    assert client.get("/api/runs/none/noise").status_code == 404
