"""Every way to start a run goes by the same rules, and what users add belongs to them."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.identity.oauth import OAuthOptions, OAuthProvider
from assay.adapters.vault.fernet import FernetVault
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.domain.access.identity import Role, Session, User
from assay.domain.access.secret import Secret
from assay.domain.registry import ListedModel
from assay.engine.identity.access_keys import new_key_user
from assay.engine.identity.sign_in import SignIn, hashed
from tests.builders import rewired
from tests.integration.dataset_service import dataset_services, executed, form, jsonl
from tests.integration.serving import client_for

LINES = jsonl([{"custom_id": "a", "prompt": "hi", "expected": "hi"}])
KEY = {"Authorization": "Bearer canary-of-the-caller"}
Headers = dict[str, str]


@pytest.fixture
def wired(tmp_path: Path) -> ApiServices:
    made = dataset_services(tmp_path, max_active_runs=1)
    engine = rewired(made.engine, vault=FernetVault(tmp_path / "secret.key"))
    provider = OAuthProvider(OAuthOptions("http://127.0.0.1:9", "client"))
    signing_in = SignIn(provider, engine.stores.identity, vault=engine.credentials.vault, clock=engine.clock)
    return replace(made, engine=rewired(engine, sessions=signing_in), sign_in=signing_in)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


def key_of(wired: ApiServices, name: str, lasts: timedelta | None = None) -> Headers:
    made = new_key_user(name, Role.RUNNER, store=wired.stores.identity, clock=wired.engine.clock, lasts=lasts)
    return {"X-API-Key": asyncio.run(made)[1].value}


def uploaded(client: TestClient, headers: Headers, name: str = "capitals.jsonl") -> Any:
    reply = client.post("/admin/datasets/upload", files=form(LINES, name), headers=headers)
    assert reply.status_code == 200, reply.text
    return reply.json()


def by_run(client: TestClient, model: str, headers: Headers) -> Any:
    dataset = uploaded(client, {})["benchmark"]
    body = {"model_id": model, "selected_benchmarks": [dataset]}
    return client.post("/api/runs", json=body, headers=headers)


def by_dataset_run(client: TestClient, model: str, headers: Headers) -> Any:
    dataset = uploaded(client, {})["dataset_id"]
    body = {"model_id": model, "dataset_id": dataset}
    return client.post("/admin/benchmarks/run", json=body, headers=headers)


def by_batch(client: TestClient, model: str, headers: Headers) -> Any:
    file = uploaded(client, {})["dataset_id"].replace("ds_", "file-")
    body = {
        "input_file_id": file,
        "endpoint": "/v1/chat/completions",
        "completion_window": "24h",
        "model": model,
    }
    return client.post("/v1/batches", json=body, headers=headers)


WAYS = pytest.mark.parametrize("start", [by_run, by_dataset_run, by_batch])
Start = Callable[[TestClient, str, Headers], Any]


def newest(client: TestClient) -> Any:
    found = client.get("/api/runs").json()["runs"][0]
    return client.get(f"/api/runs/{found['id']}").json()


@WAYS
def test_the_callers_key_is_used(client: TestClient, start: Start) -> None:
    assert start(client, "vllm/test/letter", KEY).status_code in (200, 201)
    run = newest(client)
    assert (run["auth_mode"], run["owner"][:4]) == ("api_key", "key-")
    for no_key in ({}, {"Authorization": "Bearer unused"}):
        assert start(client, "vllm/test/letter", no_key).status_code in (200, 201)
        assert (newest(client)["auth_mode"], newest(client)["owner"]) == ("system", None)


@WAYS
def test_users_have_only_so_many_runs_under_way(client: TestClient, wired: ApiServices, start: Start) -> None:
    ada = key_of(wired, "ada")
    assert start(client, "sim/echo", ada).status_code in (200, 201)
    assert newest(client)["owner"] == "user:local:ada"
    refused = start(client, "sim/echo", ada)
    assert (refused.status_code, "limit-reached" in refused.text) == (429, True)


def session_of(wired: ApiServices, *scopes: str) -> Headers:
    now = datetime.now(UTC)
    user = User("ada-1", "Ada", Role.RUNNER, now)
    sealed = wired.engine.credentials.vault.seal(Secret('["canary-access", null]'))
    session = Session("s1", user, frozenset(scopes), now, now + timedelta(days=1), None, sealed)
    asyncio.run(wired.stores.identity.open_session(session, cookie_hash=hashed("cookie")))
    return {"Cookie": "bench_session=cookie"}


@WAYS
def test_a_login_is_used_where_it_counts(client: TestClient, wired: ApiServices, start: Start) -> None:
    session = session_of(wired, "chutes:invoke")
    assert start(client, "chutes/test/letter", session).status_code in (200, 201)
    assert (newest(client)["auth_mode"], newest(client)["owner"]) == ("idp", "user:ada-1")


@WAYS
def test_a_login_without_the_scope_uses_other_providers(
    client: TestClient, wired: ApiServices, start: Start
) -> None:
    session = session_of(wired, "openid")
    refused = start(client, "chutes/test/letter", session)
    assert (refused.status_code, "scope-needed" in refused.text) == (403, True)
    assert start(client, "vllm/test/letter", session).status_code in (200, 201)
    assert (newest(client)["auth_mode"], newest(client)["owner"]) == ("system", "user:ada-1")


@WAYS
def test_a_dead_session_is_refused(client: TestClient, start: Start) -> None:
    refused = start(client, "sim/echo", {"Cookie": "bench_session=of-old"})
    assert (refused.status_code, "session-ended" in refused.text) == (401, True)


def test_nothing_is_added_with_a_dead_session(client: TestClient) -> None:
    dead = {"Cookie": "bench_session=of-old"}
    for path, fields in (("/admin/datasets/upload", {}), ("/v1/files", {"purpose": "batch"})):
        refused = client.post(path, files=form(LINES), data=fields, headers=dead)
        assert (refused.status_code, "session-ended" in refused.text) == (401, True)
        assert "bench_session=;" in refused.headers["set-cookie"]
    assert client.get("/admin/datasets", headers=dead).json()["datasets"] == []


@WAYS
def test_a_registered_slug_names_a_model(client: TestClient, wired: ApiServices, start: Start) -> None:
    listed = ListedModel("chutes", "Vendor/One", "One", chute_id="c-1")
    now = datetime.now(UTC)
    asyncio.run(wired.stores.registry.register("chutes", [listed], at=now))
    assert start(client, "c-1", {}).status_code in (200, 201)
    assert newest(client)["models"] == ["chutes/Vendor/One"]
    for name in ("c-1", "Vendor/One", "chutes/Vendor/One"):
        assert client.get("/api/runs", params={"model_id": name}).json()["total"] == 1
        used = client.get("/admin/workbench/usage-summary", params={"model_id": name}).json()
        assert used["total_jobs"] == 1


def test_data_sets_and_batch_files_have_owners(client: TestClient, wired: ApiServices) -> None:
    ada, grace = key_of(wired, "ada"), key_of(wired, "grace")
    mine = uploaded(client, ada)
    assert mine["owner"] == "user:local:ada"
    theirs = uploaded(client, grace)
    assert (mine["dataset"], theirs["dataset"][:9]) == ("capitals", "capitals-")
    assert uploaded(client, grace)["dataset"] == theirs["dataset"]
    path = f"/admin/datasets/{mine['dataset_id']}"
    file = f"/v1/files/{mine['dataset_id'].replace('ds_', 'file-')}"
    for stranger in (grace, {}):
        refused = client.post(
            "/admin/datasets/upload", files=form(LINES), data={"name": "capitals"}, headers=stranger
        )
        assert (refused.status_code, refused.json()["code"]) == (403, "not-the-owner")
        assert client.get(path, headers=stranger).status_code == 200
        assert client.delete(path, headers=stranger).json()["code"] == "not-the-owner"
        assert client.delete(file, headers=stranger).json()["error"]["code"] == "not-the-owner"
    assert client.delete(file, headers=ada).status_code == 200


async def test_annotations_have_owners(client: TestClient, wired: ApiServices) -> None:
    ada, grace = (
        await asyncio.to_thread(key_of, wired, "ada"),
        await asyncio.to_thread(key_of, wired, "grace"),
    )
    await asyncio.to_thread(by_run, client, "sim/echo", {})
    run = newest(client)
    await executed(wired.engine, run["id"])
    evaluation = (await wired.stores.runs.evaluations(run["id"]))[0]
    path = f"/api/runs/{run['id']}/annotations"
    body = {"evaluation_id": evaluation.id, "item_id": "a", "label": "golden"}
    made = client.post(path, json=body, headers=ada).json()
    assert (made["owner"], made["author"]) == ("user:local:ada", "ada")
    removed = f"{path}/{made['id']}"
    for stranger in (grace, {}):
        assert client.delete(removed, headers=stranger).json()["code"] == "not-the-owner"
    assert client.delete(removed, headers=ada).status_code == 200


def test_an_access_key_expires(client: TestClient, wired: ApiServices) -> None:
    lasting = key_of(wired, "ada", timedelta(days=1))
    assert client.get("/api/runs", headers=lasting).status_code == 200
    expired = key_of(wired, "grace", timedelta(seconds=-1))
    refused = client.get("/api/runs", headers=expired)
    assert refused.status_code == 401
    assert "the access key expired at" in refused.json()["detail"]


def test_an_admin_makes_keys_that_expire(wired: ApiServices) -> None:
    client = client_for(create_app(replace(wired, admin_secret="s3cret")))  # noqa: S106 - a test value
    admin = {"X-Admin-Secret": "s3cret"}
    body = {"name": "ci", "role": "viewer", "expires_in_days": 30}
    assert client.post("/api/admin/users", json=body).status_code == 401
    made = client.post("/api/admin/users", json=body, headers=admin).json()
    assert client.get("/api/runs", headers={"X-API-Key": made["key"]}).status_code == 200
    assert client.post("/api/admin/users", json=body, headers=admin).status_code == 409
    [user] = client.get("/api/admin/users", headers=admin).json()["users"]
    assert {name: made[name] for name in user} == user
    lasts = datetime.fromisoformat(user["key_expires_at"]) - datetime.fromisoformat(user["created_at"])
    assert (user["id"], user["has_key"], lasts) == ("local:ci", True, timedelta(days=30))
