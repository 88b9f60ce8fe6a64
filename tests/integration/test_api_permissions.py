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
from httpx2 import Response

from assay.api.app import create_app
from assay.domain.access.identity import Role
from assay.domain.access.visibility import Visibility
from assay.domain.outcome import Outcome
from assay.domain.run import Description, EvaluationId, RunId, RunSpec, State
from assay.domain.stats import score_estimate
from assay.domain.summary import Summary, Tokens
from assay.engine.identity.access_keys import new_key_user
from tests.builders import Seeded, World, attempt
from tests.integration.serving import services

# In the name of a run and of its model.
CANARY = "canary-4711"
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
# Where a caller without a name sees the public runs, and else nothing.
LISTS = {
    "GET /api/runs": "",
    "GET /api/compare": "?run={run_id}",
    "GET /api/compare/answers": "?run={run_id}",
    "GET /api/compare/report": "?run={run_id}",
    "GET /api/exports/public-key": "",
    "GET /api/leaderboard": "?benchmark=letters",
    "GET /leaderboard": "",
    "GET /qa/leaderboard": "",
    "GET /qa/runs": "",
    "GET /runs": "",
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
    world: World
    numbers: Iterator[int] = field(default_factory=count)

    @property
    def operations(self) -> list[str]:
        paths = self.app.openapi()["paths"]
        return [f"{method.upper()} {path}" for path, methods in paths.items() for method in methods]

    def status(self, operation: str, caller: str, body: Any = None) -> int:
        return self.answer(operation, caller, body).status_code

    def answer(self, operation: str, caller: str, body: Any = None) -> Response:
        method, _, path = operation.partition(" ")
        path += LISTS.get(operation, "")
        path = path.replace("{run_id}", self.run_id).replace("{name}", "letters").replace("{item_id}", "0")
        path = path.replace("{benchmark_id}", f"bm_{self.run_id}_0").replace("{", "").replace("}", "")
        # From another address each time: one that sends many wrong keys is held up.
        address = (f"127.0.0.{next(self.numbers) % 250 + 1}", 1)
        client = TestClient(
            self.app,
            "http://127.0.0.1",
            client=address,
            raise_server_exceptions=False,
            follow_redirects=False,
        )
        return client.request(method, path, headers=dict(self.headers[caller]), json=body)

    def show_to(self, visibility: Visibility) -> None:
        run_id = RunId(self.run_id)
        said = Description(CANARY, visibility=visibility)
        asyncio.run(self.world.store.runs.describe(run_id, said))

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
    return Callers(create_app(replace(made, engine=clocked, needs_identity=True)), headers, run_id, world)


def changing(operations: Sequence[str]) -> list[str]:
    return [one for one in operations if not one.startswith("GET ") and one not in PUBLIC | READING]


@pytest.mark.parametrize("caller", ["anonymous", "unknown key", "expired", "revoked"])
def test_nobody_is_let_in_without_a_key_that_counts(callers: Callers, caller: str) -> None:
    asked = [one for one in callers.operations if one not in PUBLIC]
    assert len(asked) > len(PUBLIC)
    if caller == "anonymous":
        asked = [one for one in asked if one not in LISTS]
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


def reading_runs(callers: Callers) -> list[str]:
    """Every operation that may show something of a run."""
    operations = [one for one in callers.operations if one.startswith("GET ")]
    return [one for one in operations if one not in PUBLIC | STREAMS and ADMINS not in one]


@pytest.fixture
def ended(callers: Callers) -> Callers:
    """With a run that has ended, and a model and a name that no other run has."""

    async def add() -> str:
        run = replace(
            Seeded().run,
            id=RunId("0" * 31 + "2"),
            spec=RunSpec((f"test/{CANARY}-a", f"test/{CANARY}-b"), ("letters",)),
            owner="user:local:owner",
            state=State.SUCCEEDED,
        )
        store, seeded = callers.world.store, Seeded(run)
        summary = Summary(
            score=score_estimate([1.0] * 4, None),
            scored=4,
            total=4,
            outcomes={Outcome.CORRECT: 4},
            bounds=None,
            cut=0,
            tokens=Tokens(),
            cost_usd=None,
        )
        made = [
            seeded.evaluation(
                id=EvaluationId(model), run_id=run.id, model=model, state=State.SUCCEEDED, summary=summary
            )
            for model in run.spec.models
        ]
        await store.runs.add(run, made, [])
        await store.attempts.add([attempt(str(n), evaluation_id=one.id) for one in made for n in range(4)])
        return run.id

    return replace(callers, run_id=asyncio.run(add()))


def shown(callers: Callers, caller: str) -> set[str]:
    """The operations that show this caller something of the run."""
    return {one for one in reading_runs(callers) if CANARY in callers.answer(one, caller).text}


def test_a_private_run_is_seen_by_its_owner_and_admins(ended: Callers) -> None:
    ended.show_to(Visibility.TEAM)
    everything = shown(ended, "owner")
    assert everything >= {
        "GET /api/runs",
        "GET /api/runs/{run_id}",
        "GET /api/runs/{run_id}/suite",
        "GET /api/compare",
        "GET /api/leaderboard",
        "GET /api/ops/overview",
    }
    assert shown(ended, "other") == shown(ended, "viewer") == everything
    ended.show_to(Visibility.PRIVATE)
    assert shown(ended, "owner") == shown(ended, "admin") == everything
    for caller in ("other", "viewer", "anonymous"):
        assert shown(ended, caller) == set()
    of_one = [one for one in ended.operations if "{run_id}" in one and ADMINS not in one]
    for one in of_one:
        body = OF_THE_OWNER.get(one)
        assert ended.status(one, "other", body) in {400, 404, 422}, one
        assert ended.status(one, "anonymous", body) == 401, one


def test_a_public_run_is_shown_to_whoever_asks(ended: Callers) -> None:
    ended.show_to(Visibility.TEAM)
    of_one = {one for one in shown(ended, "other") if "{run_id}" in one}
    assert shown(ended, "anonymous") == set()
    ended.show_to(Visibility.PUBLIC)
    found = shown(ended, "anonymous")
    assert found - LISTS.keys() == of_one
    assert found >= {"GET /api/runs", "GET /api/compare", "GET /api/leaderboard"}
    changes = [one for one in changing(ended.operations) if "{run_id}" in one]
    assert ended.wrong(changes, "anonymous", frozenset({401})) == {}


def test_whoever_asks_learns_nothing_of_runs_that_are_not_public(ended: Callers) -> None:
    """Not even whether there is such a run."""
    there, nowhere = ended, replace(ended, run_id="f" * 32)
    for one in reading_runs(ended):
        if "{run_id}" in one:
            assert there.status(one, "anonymous") == nowhere.status(one, "anonymous") == 401
    assert {ended.answer(one, "anonymous").status_code for one in LISTS} <= {200, 401, 400, 422, 503}


def test_only_the_owner_says_who_sees_a_run(ended: Callers) -> None:
    change = "PATCH /api/runs/{run_id}"
    assert ended.status(change, "other", {"visibility": "private"}) == 403
    assert ended.status(change, "owner", {"visibility": "somebody"}) == 422
    answer = ended.answer(change, "owner", {"visibility": "private"})
    assert (answer.status_code, answer.json()["visibility"]) == (200, "private")
    assert ended.status(change, "other", {"visibility": "team"}) == 404
