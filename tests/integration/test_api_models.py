"""The registry of models over HTTP and from the command line."""

from collections.abc import Generator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.models.lists.provider_lists import HttpModelLists
from assay.adapters.vault.fernet import FernetVault
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.cli import main as command_line
from assay.domain.errors import UnknownNameError
from assay.domain.run import RunId
from tests.builders import rewired
from tests.integration.catalogue_server import CatalogueServer, chute, serving
from tests.integration.cli import Assay
from tests.integration.serving import client_for, services
from tests.stores import memory_stores

ADMIN = {"X-Admin-Secret": "s3cret"}
CONTRACT = {
    "id", "slug", "name", "provider", "tagline", "user", "logo", "chute_id", "instance_count", "is_active",
}  # fmt: skip


@pytest.fixture
def server() -> Generator[CatalogueServer]:
    chutes = [chute("Vendor/One"), chute("openai/gpt-oss"), chute("Vendor/Cold", current_estimated_price={})]
    with serving(CatalogueServer(chutes=chutes)) as running:
        yield running


@pytest.fixture
def environment(server: CatalogueServer) -> dict[str, str]:
    return {
        "CHUTES_BASE_URL": f"{server.url}/llm",
        "CHUTES_MODELS_API_URL": server.url,
        "OPENROUTER_BASE_URL": f"{server.url}/openrouter",
    }


@pytest.fixture
def wired(server: CatalogueServer, environment: dict[str, str]) -> ApiServices:
    plain = services(memory_stores())
    directory = HttpModelDirectory(environment)
    return replace(
        plain,
        engine=replace(plain.engine, models=directory),
        directory=directory,
        model_lists=HttpModelLists(environment, chutes_url=server.url),
        admin_secret=ADMIN["X-Admin-Secret"],
    )


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


def synced(client: TestClient, **query: str) -> dict[str, Any]:
    response = client.post("/api/admin/sync-models", headers=ADMIN, params=query)
    assert response.status_code == 200, response.text
    report: dict[str, Any] = response.json()
    return report


def listed(client: TestClient, **query: Any) -> dict[str, Any]:
    page: dict[str, Any] = client.get("/api/models", params=query).json()
    return page


def started(client: TestClient, **body: Any) -> Any:
    asked = {"selected_benchmarks": ["letters"], "config": {"data": "demo"}} | body
    return client.post("/api/runs", json=asked)


def test_nothing_is_registered_before_anybody_asks(client: TestClient, server: CatalogueServer) -> None:
    assert listed(client, provider="chutes")["models"] == []
    assert server.seen == []


@pytest.mark.parametrize("headers", [{}, {"X-Admin-Secret": "wrong"}])
def test_a_sync_needs_the_secret(
    client: TestClient, server: CatalogueServer, headers: dict[str, str]
) -> None:
    assert client.post("/api/admin/sync-models", headers=headers).status_code == 401
    assert server.seen == []


def test_active_models_are_listed_with_the_fields_of_the_contract(client: TestClient) -> None:
    report = synced(client, provider="chutes")
    assert report["synced"] == 3
    assert report["message"] == "chutes: 3 models, 2 of them active, 3 new, 0 gone"
    page = listed(client, search="VENDOR")
    [model] = page["models"]
    assert page["total"] == 1
    assert model.keys() > CONTRACT
    assert {name: model[name] for name in CONTRACT} == {
        "id": "chutes/Vendor/One",
        "slug": "Vendor/One",
        "name": "Vendor/One",
        "provider": "chutes",
        "tagline": "About Vendor/One",
        "user": "chutes",
        "logo": "/logos/1.webp",
        "chute_id": "id-Vendor/One",
        "instance_count": 2,
        "is_active": True,
    }
    assert (model["input_usd_per_million"], model["output_usd_per_million"]) == (0.2, 0.8)


def test_without_a_provider_every_configured_one_is_read(client: TestClient, server: CatalogueServer) -> None:
    report = synced(client)
    assert [(one["provider"], one["synced"], one["error"]) for one in report["providers"]] == [
        ("openrouter", 2, None),
        ("chutes", 3, None),
    ]
    server.broken = {0: (500, b"")}
    again = synced(client)
    assert again["synced"] == 2
    assert "answered 500" in again["providers"][1]["error"]
    assert listed(client, provider="chutes")["total"] == 2


def test_a_catalogue_that_cannot_be_read_changes_nothing(client: TestClient, server: CatalogueServer) -> None:
    synced(client)
    before = listed(client)
    server.broken = {0: (200, b"<html>")}
    response = client.post("/api/admin/sync-models", headers=ADMIN, params={"provider": "chutes"})
    assert (response.status_code, response.json()["code"]) == (502, "endpoint")
    assert listed(client) == before


@pytest.mark.parametrize(("provider", "status"), [("nobody", 404), ("sim", 422), ("openai", 502)])
def test_a_provider_that_has_no_catalogue_is_a_problem(
    client: TestClient, provider: str, status: int
) -> None:
    response = client.post("/api/admin/sync-models", headers=ADMIN, params={"provider": provider})
    assert response.status_code == status


def test_pages_go_through_built_in_and_registered_models_alike(client: TestClient) -> None:
    synced(client)
    whole = listed(client)
    assert whole["total"] == len(whole["models"]) > 4
    pages = [listed(client, limit=3, offset=start) for start in range(0, whole["total"], 3)]
    assert [one for page in pages for one in page["models"]] == whole["models"]
    assert {page["total"] for page in pages} == {whole["total"]}
    assert {one["provider"] for one in listed(client, provider="sim")["models"]} == {"sim"}


@pytest.mark.parametrize(
    "asked",
    [
        {"model_id": "chutes/Vendor/One"},
        {"model_id": "Vendor/One"},
        {"model_id": "id-Vendor/One"},
        {"models": ["id-Vendor/One", "Vendor/One"]},
        {"model_id": "id-Vendor/One", "provider": "chutes"},
    ],
)
def test_a_run_finds_a_registered_model(client: TestClient, asked: dict[str, Any]) -> None:
    synced(client)
    response = started(client, **asked)
    assert response.status_code == 201, response.text
    assert response.json()["model_slug"] == "chutes/Vendor/One"


def test_a_slug_that_begins_like_a_provider_is_of_the_provider_where_that_is_ready(
    client: TestClient, wired: ApiServices, environment: dict[str, str]
) -> None:
    synced(client)
    assert started(client, model_id="openai/gpt-oss").json()["model_slug"] == "chutes/openai/gpt-oss"
    ready = HttpModelDirectory(
        environment | {"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "http://127.0.0.1:1"}
    )
    engine = replace(wired.engine, models=ready)
    other = client_for(create_app(replace(wired, engine=engine, directory=ready)))
    assert started(other, model_id="openai/gpt-oss").json()["model_slug"] == "openai/gpt-oss"
    named = started(other, model_id="openai/gpt-oss", provider="chutes").json()
    assert named["model_slug"] == "chutes/openai/gpt-oss"


def test_a_name_that_several_models_have_is_refused(client: TestClient, server: CatalogueServer) -> None:
    server.chutes.append(chute("google/gemini-test"))
    synced(client)
    response = started(client, model_id="google/gemini-test")
    assert response.status_code == 422
    assert "chutes/google/gemini-test, openrouter/google/gemini-test" in response.text
    named = started(client, model_id="google/gemini-test", provider="openrouter").json()
    assert named["model_slug"] == "openrouter/google/gemini-test"


def test_an_inactive_model_is_not_found(client: TestClient) -> None:
    synced(client)
    assert started(client, model_id="id-Vendor/Cold").status_code == 404


async def test_an_evaluation_keeps_the_registered_price_and_its_source(
    client: TestClient, wired: ApiServices, server: CatalogueServer
) -> None:
    server.served = ["Vendor/One", "openai/gpt-oss"]
    synced(client)
    run = started(client, model_id="Vendor/One", config={"data": "demo", "budget_usd": 1}).json()
    [evaluation] = await wired.stores.runs.evaluations(RunId(run["id"]))
    price = evaluation.price
    assert price is not None
    assert (price.input_usd_per_million, price.output_usd_per_million) == (Decimal("0.2"), Decimal("0.8"))
    assert price.source == f"{server.url}/chutes/, read {wired.engine.clock.now():%Y-%m-%d}"


def test_the_command_line_syncs(tmp_path: Path, environment: dict[str, str], server: CatalogueServer) -> None:
    assay = Assay(tmp_path / "home", tuple(environment.items()))
    done = assay("models", "sync")
    assert done.returncode == 0, done.stderr
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["PROVIDER", "MODELS", "ACTIVE", "NEW", "GONE"],
        ["openrouter", "2", "2", "2", "0"],
        ["chutes", "3", "2", "3", "0"],
    ]
    server.broken = {0: (500, b"")}
    assert assay.failure("models", "sync", "chutes") == (3, f"error: '{server.url}/chutes/' answered 500")


@pytest.mark.parametrize("arguments", [[], ["list"]])
def test_models_are_listed_where_no_command_is_named(arguments: list[str]) -> None:
    done = CliRunner().invoke(command_line.app, ["models", *arguments, "--json"])
    assert '"prefix": "vllm/"' in done.stdout, done.output


def test_an_endpoint_can_be_named_in_place_of_a_command() -> None:
    done = CliRunner().invoke(command_line.app, ["models", "nobody"])
    assert isinstance(done.exception, UnknownNameError)


def test_a_caller_with_a_key_need_not_wait_for_a_sync(
    wired: ApiServices, server: CatalogueServer, tmp_path: Path
) -> None:
    engine = rewired(wired.engine, vault=FernetVault(tmp_path / "secret.key"))
    client = client_for(create_app(replace(wired, engine=engine)))
    key = {"Authorization": "Bearer of-the-caller"}

    def asked(path: str, model: str, headers: dict[str, str]) -> Any:
        body = {"model_id": model, "selected_benchmarks": ["letters"], "config": {"data": "demo"}}
        return client.post(path, json=body, headers=headers)

    def looks() -> int:
        return sum(target.startswith("/chutes/") for target, _authorization in server.seen)

    assert asked("/api/runs", "Vendor/One", {}).status_code == 404
    assert asked("/api/runs/api", "Vendor/One", {}).status_code == 401
    assert looks() == 0
    started = asked("/api/runs/api", "Vendor/One", key)
    assert (started.status_code, started.json()["models"]) == (201, ["chutes/Vendor/One"])
    before = looks()
    assert before > 0
    assert asked("/api/runs/api", "Vendor/Two", key).status_code == 404
    assert looks() == before, "not again so soon"
