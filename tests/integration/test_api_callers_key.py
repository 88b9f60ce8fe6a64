"""Runs with a key of the caller's own: who gets it, who never sees it, and when it is gone."""

import asyncio
import logging
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from fastapi.testclient import TestClient

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.signing.ed25519 import is_signed_by
from assay.adapters.signing.keyring import Keyring
from assay.adapters.simserver.app import SimServerOptions, running
from assay.adapters.store.stores import open_stores
from assay.adapters.vault.fernet import FernetVault
from assay.api.app import create_app
from assay.api.dependencies import ApiServices, ExportService
from assay.engine.exports.exporter import Exporter
from assay.engine.exports.formats import ExportFormat
from assay.engine.stores import Stores
from tests.builders import rewired
from tests.exports import no_pdf
from tests.integration.dataset_service import working
from tests.integration.serving import client_for, served, services
from tests.stores import memory_stores

CANARY = "canary-0123456789abcdef"
OTHERS = "others-0123456789abcdef"
ASKED: dict[str, Any] = {
    "model_id": "vllm/test/letter",
    "selected_benchmarks": ["letters"],
    "config": {"data": "demo"},
}


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture
def wired(tmp_path: Path) -> ApiServices:
    made = services(memory_stores())
    return replace(made, engine=rewired(made.engine, vault=FernetVault(tmp_path / "secret.key")))


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer  ", "Basic YTpi", "canary", "Bearer a b"])
def test_a_request_without_a_usable_key_is_refused(client: TestClient, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header}
    response = client.post("/api/runs/api", json=ASKED, headers=headers)
    assert response.status_code == 401
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["www-authenticate"] == "Bearer"
    assert response.json()["code"] == "bearer-needed"


def test_a_run_is_started_as_by_the_other_path(client: TestClient) -> None:
    headers = bearer(CANARY) | {"Idempotency-Key": "once"}
    response = client.post("/api/runs/api", json=ASKED, headers=headers)
    assert response.status_code == 201, response.text
    run, plain = response.json(), client.post("/api/runs", json=ASKED).json()
    assert run.keys() == plain.keys()
    assert run["owner"].startswith("key-")
    assert plain["owner"] is None
    assert client.post("/api/runs/api", json=ASKED, headers=headers).json()["id"] == run["id"]
    mine = client.get("/api/runs", params={"owner": run["owner"]}).json()["runs"]
    assert [one["id"] for one in mine] == [run["id"]]


def test_maintenance_holds_for_callers_with_a_key_too(wired: ApiServices) -> None:
    wired.maintenance.is_on, wired.maintenance.message = True, "back at noon"
    response = client_for(create_app(wired)).post("/api/runs/api", json=ASKED, headers=bearer(CANARY))
    assert (response.status_code, response.json()["detail"]) == (503, "back at noon")


def test_one_key_is_not_sent_to_two_providers(client: TestClient) -> None:
    body = ASKED | {"model_id": None, "models": ["openai/gpt", "vllm/test/letter", "sim/good"]}
    response = client.post("/api/runs/api", json=body, headers=bearer(CANARY))
    assert response.status_code == 422
    assert "'openai' and to 'vllm'" in response.json()["detail"]


def test_a_caller_has_only_so_many_runs_under_way(wired: ApiServices) -> None:
    client = client_for(create_app(replace(wired, max_active_runs=1)))
    first = client.post("/api/runs/api", json=ASKED, headers=bearer(CANARY)).json()
    refused = client.post("/api/runs/api", json=ASKED, headers=bearer(CANARY))
    assert (refused.status_code, refused.json()["code"]) == (429, "limit-reached")
    assert "cancel one" in refused.json()["detail"]
    assert client.post("/api/runs/api", json=ASKED, headers=bearer(OTHERS)).status_code == 201
    for _ in range(2):
        assert client.post("/api/runs", json=ASKED).status_code == 201, "nobody's runs are not limited"
    cancel = f"/api/runs/{first['id']}/cancel"
    for stranger in ({}, bearer(OTHERS)):
        assert client.post(cancel, headers=stranger).json()["code"] == "not-the-owner"
    assert client.post(cancel, headers=bearer(CANARY)).status_code == 200
    assert client.post("/api/runs/api", json=ASKED, headers=bearer(CANARY)).status_code == 201


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Stores]:
    store = await open_stores(f"sqlite:///{tmp_path / 'assay.db'}")
    yield store
    await store.close()


def on_database(wired: ApiServices, store: Stores, base_url: str) -> ApiServices:
    # The server's own key, which nobody's endpoint here takes.
    directory = HttpModelDirectory({"VLLM_BASE_URL": base_url, "VLLM_API_KEY": "key-of-the-server"})
    return replace(wired, engine=rewired(wired.engine, stores=store, models=directory), directory=directory)


async def started(client: aiohttp.ClientSession, key: str) -> str:
    async with client.post("/api/runs/api", json=ASKED, headers=bearer(key)) as response:
        assert response.status == 201, await response.text()
        return (await response.json())["id"]


async def ended(client: aiohttp.ClientSession, run_id: str) -> dict[str, Any]:
    async with asyncio.timeout(60):
        while True:
            async with client.get(f"/api/runs/{run_id}") as response:
                run: dict[str, Any] = await response.json()
            if run["status"] in ("succeeded", "failed"):
                return run
            await asyncio.sleep(0.01)


async def everything_said(client: aiohttp.ClientSession, run_id: str) -> bytes:
    item = f"/api/runs/{run_id}/benchmarks/letters"
    paths = [
        *("/api/runs", f"/api/runs/{run_id}", item, f"{item}/items/0", f"/api/runs/{run_id}/events"),
        *("/api/ops/overview", "/metrics", "/api/leaderboard?benchmark=letters"),
        *(
            f"/api/runs/{run_id}/export?format={kind.value}"
            for kind in ExportFormat
            if kind is not ExportFormat.PDF
        ),
    ]
    said = b""
    for path in paths:
        async with client.get(path) as response:
            assert response.status == 200, (path, await response.text())
            said += await response.read()
    return said


async def test_the_callers_key_reaches_the_model_and_nothing_else(
    wired: ApiServices, store: Stores, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ring = Keyring(tmp_path / "keys")
    desk = ExportService(Exporter(ring.signer, no_pdf), ring, is_signed_by)
    async with running(SimServerOptions(api_key=CANARY)) as base_url:
        wired = replace(on_database(wired, store, base_url), export_service=desk)
        async with served(create_app(wired)) as client:
            run_id = await started(client, CANARY)
            assert CANARY.encode() not in database(tmp_path), "while it waits"
            async with working(wired.engine):
                run = await ended(client, run_id)
            said = await everything_said(client, run_id)
    assert run["status"] == "succeeded", run
    assert run["evaluations"][0]["scored"] == run["evaluations"][0]["total"]
    stored = await store.runs.get(run_id)
    assert stored.spec.credential is not None
    assert await store.secrets.get(stored.spec.credential) is None
    for shown in (said, database(tmp_path), caplog.text.encode()):
        assert CANARY.encode() not in shown
        assert b"key-of-the-server" not in shown


def database(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.glob("assay.db*"))


async def test_runs_with_different_keys_do_not_share_a_client(wired: ApiServices, store: Stores) -> None:
    async with running(SimServerOptions(api_key=CANARY)) as base_url:
        wired = on_database(wired, store, base_url)
        async with working(wired.engine), served(create_app(wired)) as client:
            refused, taken = await started(client, OTHERS), await started(client, CANARY)
            failed, succeeded = await ended(client, refused), await ended(client, taken)
            async with client.post("/api/runs", json=ASKED) as response:
                servers = await ended(client, (await response.json())["id"])
    assert succeeded["status"] == "succeeded"
    assert failed["status"] == "failed"
    assert "it refuses the key in the Authorization header of the request" in failed["error_message"]
    assert OTHERS not in str(failed)
    assert "VLLM_API_KEY" in servers["error_message"]


def test_a_run_whose_key_is_gone_is_not_opened_again(wired: ApiServices) -> None:
    client = client_for(create_app(replace(wired, admin_secret="s")))  # noqa: S106 - a test value
    run_id = client.post("/api/runs/api", json=ASKED, headers=bearer(CANARY)).json()["id"]
    for action in ("pause", "resume", "cancel"):
        assert client.post(f"/api/runs/{run_id}/{action}", headers=bearer(CANARY)).status_code == 200
    response = client.post(f"/api/admin/runs/{run_id}/requeue", headers={"X-Admin-Secret": "s"})
    assert (response.status_code, response.json()["code"]) == (409, "conflict")
    assert "removed when it ended" in response.json()["detail"]
