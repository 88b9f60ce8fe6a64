"""Who may call which operation: every operation with every kind of caller."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.api.app import create_app
from assay.domain.identity import Role
from assay.domain.run import RunId, State
from assay.engine.identity.access_keys import new_key_user
from tests.builders import Seeded, World
from tests.integration.serving import services

# Whoever asks is answered.
PUBLIC = {
    "GET /api/health",
    "GET /health",
    "GET /api/status",
    "GET /api/auth/login",
    "GET /api/auth/callback",
    "GET /api/auth/me",
    "GET /api/auth/status",
    "POST /api/auth/logout",
}
# They change nothing, although they are sent a body.
READING = {
    "POST /api/runs/estimate",
    "POST /api/runs/preflight",
    "POST /api/exports/verify",
    "POST /admin/workbench/estimate-cost",
    "POST /admin/workbench/budget-alert",
}
# What only the owner of a run, or an admin, may do with it, and a body that is accepted.
OF_THE_OWNER: Mapping[str, Any] = {
    "PATCH /api/runs/{run_id}": {"priority": 1},
    "POST /api/runs/{run_id}/cancel": None,
    "POST /api/runs/{run_id}/pause": None,
    "POST /api/runs/{run_id}/resume": None,
    "POST /api/runs/{run_id}/retry": None,
    "POST /api/runs/{run_id}/requeue": None,
}
ADMINS = "/api/admin/"
# They answer until the caller hangs up.
STREAMS = {"GET /api/events", "GET /api/runs/{run_id}/events"}
REFUSED = frozenset({401, 403})


@dataclass(frozen=True)
class Callers:
    """The headers of each kind of caller, and the run that `owner` started."""

    app: FastAPI
    headers: Mapping[str, Mapping[str, str]]
    run_id: str
    numbers: Iterator[int] = field(default_factory=count)

    @property
    def operations(self) -> list[str]:
        paths = self.app.openapi()["paths"]
        return [f"{method.upper()} {path}" for path, methods in paths.items() for method in methods]

    def status(self, operation: str, caller: str, body: Any = None) -> int:
        method, _, path = operation.partition(" ")
        path = path.replace("{run_id}", self.run_id).replace("{", "").replace("}", "")
        # From another address each time: one that sends many wrong keys is held up.
        address = (f"127.0.0.{next(self.numbers) % 250 + 1}", 1)
        client = TestClient(
            self.app,
            "http://127.0.0.1",
            client=address,
            raise_server_exceptions=False,
            follow_redirects=False,
        )
        return client.request(method, path, headers=dict(self.headers[caller]), json=body).status_code

    def wrong(self, operations: Sequence[str], caller: str, expected: frozenset[int]) -> dict[str, int]:
        """The operations that answer this caller otherwise than with these statuses."""
        found = {one: self.status(one, caller) for one in operations}
        return {one: status for one, status in found.items() if status not in expected}


@pytest.fixture
def callers() -> Callers:
    world = World()

    async def prepared() -> tuple[dict[str, Mapping[str, str]], str]:
        headers: dict[str, Mapping[str, str]] = {"anonymous": {}, "unknown key": {"X-API-Key": "assay_none"}}
        identity = world.store.identity
        for name, role, lasts in (
            ("viewer", Role.VIEWER, None),
            ("owner", Role.RUNNER, None),
            ("other", Role.RUNNER, None),
            ("admin", Role.ADMIN, None),
            ("expired", Role.ADMIN, timedelta(days=1)),
            ("revoked", Role.ADMIN, None),
        ):
            user, key = await new_key_user(name, role, store=identity, clock=world.clock, lasts=lasts)
            headers[name] = {"X-API-Key": key.value}
            if name == "revoked":
                await identity.remove_user(user.id)
        await world.clock.sleep(timedelta(days=2).total_seconds())
        run = replace(Seeded().run, id=RunId("0" * 31 + "1"), owner="user:local:owner", state=State.RUNNING)
        evaluation = Seeded(run).evaluation(run_id=run.id, state=State.RUNNING)
        await world.store.runs.add(run, [evaluation], [])
        return headers, run.id

    headers, run_id = asyncio.run(prepared())
    made = services(world.store)
    clocked = replace(made.engine, clock=world.clock)
    return Callers(create_app(replace(made, engine=clocked, needs_identity=True)), headers, run_id)


def changing(operations: Sequence[str]) -> list[str]:
    return [one for one in operations if not one.startswith("GET ") and one not in PUBLIC | READING]


@pytest.mark.parametrize("caller", ["anonymous", "unknown key", "expired", "revoked"])
def test_nobody_is_let_in_without_a_key_that_counts(callers: Callers, caller: str) -> None:
    asked = [one for one in callers.operations if one not in PUBLIC]
    assert len(asked) > len(PUBLIC)
    assert callers.wrong(asked, caller, frozenset({401})) == {}


def test_the_public_operations_are_few_and_exist(callers: Callers) -> None:
    assert set(callers.operations) >= PUBLIC | READING | OF_THE_OWNER.keys() | STREAMS


def test_a_viewer_changes_nothing(callers: Callers) -> None:
    assert callers.wrong(changing(callers.operations), "viewer", frozenset({403})) == {}


def test_a_viewer_looks_at_everything_but_the_calls_of_admins(callers: Callers) -> None:
    looked = [
        one
        for one in callers.operations
        if (one.startswith("GET ") or one in READING) and one not in PUBLIC | STREAMS
    ]
    refused = {one for one in looked if callers.status(one, "viewer") in REFUSED}
    assert refused == {one for one in looked if ADMINS in one}


@pytest.mark.parametrize("caller", ["viewer", "owner", "other"])
def test_only_admins_make_the_calls_of_admins(callers: Callers, caller: str) -> None:
    asked = [one for one in callers.operations if ADMINS in one]
    assert asked
    assert callers.wrong(asked, caller, REFUSED) == {}
    assert {callers.status(one, "admin") for one in asked} & REFUSED == set()


@pytest.mark.parametrize("operation", OF_THE_OWNER)
def test_a_run_is_controlled_by_its_owner_and_by_admins(callers: Callers, operation: str) -> None:
    body = OF_THE_OWNER[operation]
    assert callers.status(operation, "other", body) == 403
    assert callers.status(operation, "owner", body) not in REFUSED
    assert callers.status(operation, "admin", body) not in REFUSED


def test_an_admin_is_refused_nothing(callers: Callers) -> None:
    asked = [one for one in callers.operations if one not in STREAMS | PUBLIC]
    # It takes the key of a model, whoever asks.
    assert {one for one in asked if callers.status(one, "admin") in REFUSED} == {"POST /api/runs/api"}
