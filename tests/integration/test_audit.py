"""What the audit log says of changes and refusals, and how it is read."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.api.app import create_app
from assay.domain.run import State
from assay.engine.identity.audit import MAX_REFUSALS
from tests.builders import World
from tests.integration.cli import Assay
from tests.integration.serving import add, client_for, services

ADMIN = {"X-Admin-Secret": "a-secret-of-the-operator"}


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def client(world: World) -> TestClient:
    made = services(world.store)
    return client_for(create_app(replace(made, needs_identity=True, admin_secret=ADMIN["X-Admin-Secret"])))


def entries(client: TestClient) -> list[tuple[str, str, str, str]]:
    found: list[dict[str, Any]] = client.get("/api/admin/audit", headers=ADMIN, params={"limit": 500}).json()[
        "entries"
    ]
    return [(one["actor"], one["action"], one["target"], one["outcome"]) for one in reversed(found)]


def test_an_entry_says_what_was_changed(client: TestClient, world: World) -> None:
    first, second = (add(world.store, number, state=State.SUCCEEDED) for number in (1, 2))
    client.headers.update(ADMIN)
    client.post("/api/admin/users", json={"name": "ci", "role": "viewer"})
    client.post("/api/admin/maintenance", json={"enabled": True})
    client.patch(f"/api/runs/{first}", json={"visibility": "private", "note": "of a user"})
    client.patch(f"/api/runs/{first}", json={"is_archived": True})
    client.delete("/api/runs", params={"run": [first, second]})
    who = "admin secret"
    assert entries(client) == [
        (who, "add_user", "/api/admin/users ci as viewer", "done"),
        (who, "set_maintenance", "/api/admin/maintenance on", "done"),
        (who, "change_run", f"/api/runs/{first} note visibility=private", "done"),
        (who, "change_run", f"/api/runs/{first} archived", "done"),
        (who, "delete_runs", f"/api/runs {first} {second}", "done"),
    ]


def test_refusals_are_written_down_up_to_a_number(client: TestClient) -> None:
    for _ in range(3):
        assert client.post("/api/runs", json={}).status_code == 401
    client.get("/api/runs", headers={"X-API-Key": "assay_wrong"})
    client.post("/api/runs", json={}, headers={"X-Admin-Secret": "wrong"})
    assert entries(client) == [
        *[("anybody", "create_run", "/api/runs", "sign-in-needed")] * 3,
        ("anybody", "send_access_key", "/api/runs from testclient", "unknown-key"),
        ("anybody", "send_admin_secret", "/api/runs from testclient", "wrong-secret"),
        ("anybody", "create_run", "/api/runs", "sign-in-needed"),
    ]
    for _ in range(MAX_REFUSALS):
        client.post("/api/runs", json={})
    assert len(entries(client)) == MAX_REFUSALS


def test_the_operator_reads_what_was_done_at_the_command_line(tmp_path: Path) -> None:
    assay = Assay(tmp_path / "home")
    assert assay("users", "add", "ci", "--role", "viewer").returncode == 0
    [entry] = assay.json("audit")["entries"]
    assert (entry["action"], entry["target"], entry["outcome"]) == ("add_user", "ci as viewer", "done")
    assert entry["actor"].startswith("operator:")
