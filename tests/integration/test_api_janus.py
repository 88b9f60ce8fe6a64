"""The Janus suite over HTTP: from starting a run to the stored figures and their export."""

import json
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.signing.ed25519 import is_signed_by
from assay.adapters.signing.keyring import Keyring
from assay.api.app import create_app
from assay.api.dependencies import ApiServices, ExportService
from assay.domain.run import RunId
from assay.engine.execution.run_loop import execute_run
from assay.engine.exports.exporter import Exporter
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.composite import COST, STREAMING
from tests.builders import World, rewired
from tests.exports import members_of, no_pdf
from tests.integration.serving import client_for, services
from tests.stores import memory_stores

MODEL = "sim/oracle?tokens_per_s=2000"
MEASURED = ("ttft_ms", "max_gap_ms", "tokens_per_s")


@pytest.fixture
def wired(tmp_path: Path) -> ApiServices:
    installed = Catalogue.installed()
    janus = {name: installed.get(name) for name in (COST, STREAMING)}
    ring = Keyring(tmp_path)
    engine = rewired(World().engine, catalogue=Catalogue(janus), models=HttpModelDirectory({}))
    desk = ExportService(Exporter(ring.signer, no_pdf), ring, is_signed_by)
    return replace(services(memory_stores()), engine=engine, export_service=desk)


@pytest.fixture
def client(wired: ApiServices) -> Generator[TestClient]:
    with client_for(create_app(wired)) as client:
        yield client


async def test_a_run_is_stored_and_exported_with_what_was_measured(
    wired: ApiServices, client: TestClient
) -> None:
    order = {"model_id": MODEL, "selected_benchmarks": [COST, STREAMING], "subset_pct": 5}
    created = client.post("/api/runs", json={**order, "config": {"data": "demo"}})
    assert created.status_code == 201, created.text
    run_id = created.json()["id"]
    await execute_run(wired.engine, RunId(run_id))

    stored = client.get(f"/api/runs/{run_id}").json()
    assert (stored["status"], stored["overall_score"]) == ("succeeded", 1.0)
    archive = client.get(f"/api/runs/{run_id}/export", params={"format": "zip"})
    assert archive.status_code == 200, archive.text
    results = json.loads(members_of(archive.content)["results.json"])
    [streaming] = [one for one in results["benchmarks"] if one["benchmark_name"] == STREAMING]
    items: list[Any] = streaming["items"]
    assert len(items) == streaming["sampled_items"] == 2
    for item in items:
        assert all(item["timing"][name] is not None for name in MEASURED), item["timing"]
        assert item["output_tokens"] > 0
    aggregate = streaming["summary"]["latency"]
    assert {name: aggregate[name]["n"] for name in MEASURED} == dict.fromkeys(MEASURED, 2)
