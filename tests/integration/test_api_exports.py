"""Exports over HTTP."""

import asyncio
import json
import tomllib
from base64 import b64encode
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.signing.ed25519 import is_signed_by
from assay.adapters.signing.keyring import Keyring
from assay.api.app import create_app
from assay.api.dependencies import ExportService
from assay.domain.benchmark import ItemId
from assay.domain.run import State
from assay.engine.exports.bundle import RESULTS
from assay.engine.exports.exporter import Exporter
from assay.engine.exports.formats import ExportFormat
from benchmarks.perf.hostile import PeakMemory
from tests.builders import World, rewired
from tests.exports import (
    OTHER_SIGNER,
    SIGNER,
    bench_runner_export,
    bundle,
    forged,
    members_of,
    no_pdf,
    world,
    zipped,
)
from tests.integration.serving import add, client_for, client_of, services


@pytest.fixture
def made() -> World:
    return world()


@pytest.fixture
def run_id(made: World) -> str:
    return asyncio.run(made.run()).id


@pytest.fixture
def client(made: World, tmp_path: Path) -> Generator[TestClient]:
    ring = Keyring(tmp_path)
    desk = ExportService(Exporter(ring.signer, no_pdf), ring, is_signed_by)
    base = replace(services(made.store), export_service=desk)
    engine = rewired(base.engine, catalogue=made.engine.planner.catalogue)
    with client_for(create_app(replace(base, engine=engine))) as client:
        yield client


def export(client: TestClient, run_id: str, **query: str) -> bytes:
    response = client.get(f"/api/runs/{run_id}/export", params=query)
    assert response.status_code == 200, response.text
    return response.content


def verify(client: TestClient, content: bytes) -> dict[str, Any]:
    response = client.post("/api/exports/verify", files={"file": ("x.zip", content, "application/zip")})
    assert response.status_code == 200, response.text
    return response.json()


def test_an_export_is_verified_by_the_server_that_made_it(client: TestClient, run_id: str) -> None:
    result = verify(client, export(client, run_id, format="zip"))
    assert result["valid"] is result["signature_valid"] is result["hash_match"] is True
    assert result["errors"] == []
    assert result["run_id"] == run_id
    assert result["benchmark_count"] == 1
    assert result["model_slug"] == "test/scripted"
    assert result["verdict"] == "proven"
    [score] = result["scores"]
    assert (score["model"], score["benchmark"]) == ("test/scripted", "letters")
    assert score["score"]["value"] == result["overall_score"]
    assert score["scored"] == score["score"]["n"] == score["total"] - 1


def test_the_download_has_a_name_a_length_and_a_hash(client: TestClient, run_id: str) -> None:
    first = client.get(f"/api/runs/{run_id}/export")
    again = client.get(f"/api/runs/{run_id}/export", params={"format": "csv"})
    assert first.content == again.content
    assert first.headers["etag"] == again.headers["etag"]
    assert first.headers["content-length"] == str(len(first.content))
    assert f"benchmark_results_{run_id}_" in first.headers["content-disposition"]


@pytest.mark.parametrize("wanted", list(ExportFormat))
def test_every_format_is_served(client: TestClient, run_id: str, wanted: ExportFormat) -> None:
    assert export(client, run_id, format=wanted.value)


def test_the_public_key_is_the_one_that_signs(client: TestClient, run_id: str) -> None:
    key = client.get("/api/exports/public-key").json()
    assert members_of(export(client, run_id, format="zip"))["public_key.txt"].decode() == key["public_key"]
    assert key["public_key_fingerprint"] == key["keys"][0]["fingerprint"]
    assert key["keys"][0]["is_current"] is True


def test_no_score_is_shown_of_a_file_that_states_another(client: TestClient, run_id: str) -> None:
    members = members_of(export(client, run_id, format="zip"))
    results = json.loads(members["results.json"])
    results["benchmarks"][0]["score"] = 0.123
    result = verify(client, zipped(members | {"results.json": json.dumps(results).encode()}))
    assert result["verdict"] == "refuted"
    assert result["scores"] == []


@pytest.mark.parametrize("content", [b"", b"no zip", zipped({"results.json": b"{}"})])
def test_what_is_no_export_is_a_result_and_not_an_error(client: TestClient, content: bytes) -> None:
    result = verify(client, content)
    assert result["valid"] is False
    assert result["errors"]
    assert result["run_id"] is None


@pytest.mark.parametrize("content", [b"%PDF-1.7 ...", b"just text", zipped({"holiday.jpg": b"x"})])
def test_what_is_something_else_has_a_verdict_of_its_own(client: TestClient, content: bytes) -> None:
    result = verify(client, content)
    assert (result["valid"], result["verdict"]) == (False, "not_an_export")
    assert "not an Assay export" in str(result["errors"])


def test_many_small_values_are_given_up_in_another_process(client: TestClient) -> None:
    """20 kB in the archive; read as one value, they would take 400 MB of memory."""
    values = b'{"run":[' + b"[]," * 6_000_000 + b"[]]}"
    content = zipped(members_of(forged(lambda _results: None)) | {"results.json": values})
    memory = PeakMemory()
    memory.reset()
    result = verify(client, content)
    assert "more than 4,000,000 parts" in str(result["errors"])
    assert memory.growth_mb() < 150


def test_an_export_of_another_server_is_not_valid_here(client: TestClient) -> None:
    result = verify(client, forged(lambda _results: None))
    assert result["valid"] is result["signature_valid"] is False
    assert result["hash_match"] is True


def test_named_items_are_part_of_an_export(client: TestClient, made: World, run_id: str) -> None:
    named = asyncio.run(made.run(items=(ItemId("2"), ItemId("1")))).id
    content = export(client, named, format="zip")
    assert json.loads(members_of(content)[RESULTS])["run"]["items"] == ["2", "1"]
    assert (verify(client, content)["verdict"], verify(client, content)["named_items"]) == ("proven", 2)
    assert verify(client, export(client, run_id, format="zip"))["named_items"] == 0
    assert verify(client, b"x")["named_items"] is None


def test_a_live_run_is_refused(client: TestClient, made: World) -> None:
    live = add(made.store, 7, state=State.RUNNING)
    response = client.get(f"/api/runs/{live}/export")
    assert response.status_code == 400
    assert "pause it first" in response.json()["detail"]


def test_unknown_runs_and_formats_are_refused(client: TestClient, run_id: str) -> None:
    assert client.get("/api/runs/ffffffff/export").status_code == 404
    assert client.get(f"/api/runs/{run_id}/export", params={"format": "docx"}).status_code == 422
    assert client.post("/api/exports/verify").status_code == 422


def test_uploads_have_a_limit(client: TestClient) -> None:
    headers = {"Content-Length": str(300 * 1024 * 1024), "Content-Type": "multipart/form-data; boundary=x"}
    response = client.post("/api/exports/verify", content=b"", headers=headers)
    assert response.status_code == 413


def test_a_larger_upload_than_other_requests_may_have_is_taken(client: TestClient) -> None:
    assert verify(client, b"x" * 3_000_000)["valid"] is False


def test_without_a_key_the_server_says_so(made: World, run_id: str) -> None:
    with client_of(made.store) as bare:
        assert bare.get("/api/exports/public-key").status_code == 503


def test_an_export_in_the_form_of_the_bench_runner_has_its_signature_checked(
    made: World, tmp_path: Path
) -> None:
    ring = Keyring(tmp_path, public_key=b64encode(SIGNER.public_key).decode())
    desk = ExportService(Exporter(ring.signer, no_pdf), ring, is_signed_by)
    with client_for(create_app(replace(services(made.store), export_service=desk))) as client:
        ours = verify(client, bench_runner_export(SIGNER))
        assert (ours["verdict"], ours["signature_valid"], ours["valid"]) == ("undecided", True, False)
        assert "only its signature was checked" in str(ours["errors"])
        assert verify(client, bench_runner_export(OTHER_SIGNER))["verdict"] == "refuted"


def test_a_server_with_a_public_key_alone_verifies_and_does_not_sign(
    made: World, run_id: str, tmp_path: Path
) -> None:
    ring = Keyring(tmp_path, public_key=b64encode(SIGNER.public_key).decode())
    base = services(made.store)
    base = replace(base, export_service=ExportService(Exporter(ring.signer, no_pdf), ring, is_signed_by))
    engine = rewired(base.engine, catalogue=made.engine.planner.catalogue)
    with client_for(create_app(replace(base, engine=engine))) as client:
        response = client.get(f"/api/runs/{run_id}/export", params={"format": "zip"})
        assert (response.status_code, response.json()["code"]) == (503, "no-signing-key")
        assert client.get(f"/api/runs/{run_id}/export", params={"format": "csv"}).status_code == 200
        assert verify(client, bundle())["verdict"] == "proven"
    assert list(tmp_path.iterdir()) == []


def test_any_run_is_a_suite(client: TestClient, run_id: str) -> None:
    response = client.get(f"/api/runs/{run_id[:8]}/suite")
    assert response.headers["content-type"] == "application/toml"
    assert response.headers["content-disposition"] == f'attachment; filename="suite-{run_id[:8]}.toml"'
    suite = tomllib.loads(response.text)
    assert [one["name"] for one in suite["benchmarks"]] == ["letters"]
    assert suite["data"] == "demo"
    assert client.get("/api/runs/nothing/suite").status_code == 404
