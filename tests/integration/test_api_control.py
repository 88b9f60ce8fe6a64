"""What is done with live runs, and what only the operator may do."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.api.app import create_app
from assay.api.dependencies import ApiServices, Maintenance
from assay.domain.calls.messages import Completion
from assay.domain.errors import AssayError, CallTimeoutError
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, RunSpec, State
from assay.domain.shard import ShardId
from assay.engine.execution.create import create_run
from assay.engine.execution.queue import Depth, WorkerConfig
from assay.engine.execution.run_loop import execute_run
from assay.engine.ports import Request
from assay.engine.stores import Stores
from tests.builders import ScriptedModel, World, attempt, right
from tests.integration.serving import add, client_for, served, services
from tests.integration.test_api_create import ASKED
from tests.stores import memory_stores

SECRET = "open sesame ü"  # noqa: S105 - of this test
ADMIN = {b"X-Admin-Secret": SECRET.encode()}


@pytest.fixture
def store() -> Stores:
    return memory_stores()


@pytest.fixture
def wired(store: Stores) -> ApiServices:
    return replace(services(store), admin_secret=SECRET)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


def started(client: TestClient) -> str:
    run_id: str = client.post("/api/runs", json=ASKED).json()["id"]
    return run_id


async def test_cancel_ends_a_run_and_takes_it_out_of_the_queue(
    client: TestClient, wired: ApiServices
) -> None:
    run_id = started(client)
    response = client.post(f"/api/runs/{run_id[:8]}/cancel")
    assert response.status_code == 200
    assert response.json()["success"] is True
    assert run_id in response.json()["message"]
    run = client.get(f"/api/runs/{run_id}").json()
    assert (run["status"], run["benchmarks"][0]["status"]) == ("canceled", "skipped")
    assert await wired.engine.queue.depth() == Depth(queued=0, running=0)


@pytest.mark.parametrize("state", [State.SUCCEEDED, State.FAILED, State.CANCELED])
def test_what_has_ended_cannot_be_canceled(store: Stores, client: TestClient, state: State) -> None:
    response = client.post(f"/api/runs/{add(store, state=state)}/cancel")
    assert (response.status_code, response.json()["code"]) == (400, "illegal-transition")
    assert state.value in response.json()["detail"]


@pytest.mark.parametrize(
    ("action", "status"), [("cancel", 400), ("pause", 404), ("resume", 404), ("retry", 404)]
)
def test_unknown_runs_are_refused(client: TestClient, action: str, status: int) -> None:
    response = client.post(f"/api/runs/nothing-here/{action}")
    assert (response.status_code, response.json()["code"]) == (status, "unknown-name")


async def test_a_paused_run_goes_on_where_it_was(client: TestClient, wired: ApiServices) -> None:
    run_id = started(client)
    paused = client.post(f"/api/runs/{run_id}/pause")
    assert (paused.status_code, paused.json()["status"]) == (200, "paused")
    assert (await wired.engine.queue.depth()).queued == 0
    assert client.post(f"/api/runs/{run_id}/pause").status_code == 409
    resumed = client.post(f"/api/runs/{run_id}/resume")
    assert (resumed.status_code, resumed.json()["status"]) == (200, "queued")
    assert (await wired.engine.queue.depth()).queued == 1


@pytest.mark.parametrize("state", [State.QUEUED, State.RUNNING, State.SUCCEEDED])
def test_only_paused_runs_are_resumed(store: Stores, client: TestClient, state: State) -> None:
    assert client.post(f"/api/runs/{add(store, state=state)}/resume").status_code == 409


@dataclass
class Unsteady:
    """Answers, except that it is silent about some letters until it is mended."""

    silent_about: frozenset[str]

    def __call__(self, request: Request, number: int) -> Completion | AssayError:
        if request.cue().right in self.silent_about:
            return CallTimeoutError("no byte for 30 s")
        return right(request, number)


async def test_retry_makes_only_the_errored_attempts_again() -> None:
    endpoint = Unsteady(frozenset({"a", "c"}))
    world = World(model=ScriptedModel(endpoint))
    run = await world.run()
    wired = replace(services(world.store), engine=world.engine)
    endpoint.silent_about = frozenset()
    asked_before = len(world.model.requests)
    response = client_for(create_app(wired)).post(f"/api/runs/{run.id}/retry")
    assert (response.status_code, response.json()["status"]) == (200, "queued")
    assert response.json()["evaluations"][0]["outcomes"] == {"correct": 2, "timeout": 2}
    await execute_run(world.engine, run.id)
    assert len(world.model.requests) - asked_before == 2
    shown = client_for(create_app(wired)).get(f"/api/runs/{run.id}").json()
    assert (shown["status"], shown["evaluations"][0]["outcomes"]) == ("succeeded", {"correct": 4})


async def test_without_errors_there_is_nothing_to_retry() -> None:
    world = World()
    run = await world.run()
    wired = replace(services(world.store), engine=world.engine)
    response = client_for(create_app(wired)).post(f"/api/runs/{run.id}/retry")
    assert response.status_code == 422
    assert "no attempt without a verdict" in response.json()["detail"]


def test_a_running_run_is_not_retried(store: Stores, client: TestClient) -> None:
    lost = attempt("0", outcome=Outcome.TIMEOUT, score=None)
    response = client.post(f"/api/runs/{add(store, state=State.RUNNING, attempts=[lost])}/retry")
    assert response.status_code == 409


async def test_priority_and_connections_change_while_a_run_waits(
    client: TestClient, wired: ApiServices
) -> None:
    first, second = started(client), started(client)
    response = client.patch(f"/api/runs/{second}", json={"priority": -5, "max_connections": 3})
    assert response.status_code == 200
    assert (response.json()["priority"], response.json()["max_connections"]) == (-5, 3)
    assert await order(wired) == [second, first]
    assert client.patch(f"/api/runs/{second}", json={"priority": 1}).json()["max_connections"] == 3
    again = client.patch(f"/api/runs/{second}", json={"max_connections": None})
    assert again.json()["max_connections"] is None


async def test_a_budget_is_raised_before_a_run_goes_on(client: TestClient, wired: ApiServices) -> None:
    run_id = started(client)
    client.post(f"/api/runs/{run_id}/pause")
    response = client.patch(f"/api/runs/{run_id}", json={"budget_tokens": 5000})
    assert (response.status_code, response.json()["budget_tokens"]) == (200, 5000)
    refused = client.patch(f"/api/runs/{run_id}", json={"budget_usd": 3})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "budget_usd"
    assert (await wired.stores.runs.get(run_id)).spec.budget == Budget(tokens=5000)


async def order(wired: ApiServices) -> list[str]:
    waiting: Sequence[ShardId] = await wired.engine.queue.waiting()
    return [(await wired.stores.shards.get(shard_id)).run_id for shard_id in waiting]


@pytest.mark.parametrize(
    "body",
    [{}, {"priority": None}, {"max_connections": 0}, {"priority": 2**31}, {"priority": 1.5}, {"status": "x"}],
)
def test_changes_that_make_no_sense_are_refused(client: TestClient, body: dict[str, Any]) -> None:
    assert client.patch(f"/api/runs/{started(client)}", json=body).status_code == 422


def test_any_run_can_be_described_and_found_again(store: Stores, client: TestClient) -> None:
    _ = store
    run_id = started(client)
    client.post(f"/api/runs/{run_id}/cancel")
    said = {"name": "Baseline", "note": "before the change", "tags": ["ci", "ci", "a"]}
    described = client.patch(f"/api/runs/{run_id}", json=said).json()
    assert (described["name"], described["note"], described["tags"]) == (
        "Baseline",
        said["note"],
        ["a", "ci"],
    )
    assert client.patch(f"/api/runs/{run_id}", json={"name": ""}).json()["tags"] == ["a", "ci"]
    assert [one["id"] for one in client.get("/api/runs?tag=CI").json()["runs"]] == [run_id]
    assert client.get("/api/runs?tag=cd").json()["total"] == 0
    assert client.patch(f"/api/runs/{run_id}", json={"tags": ["two words"]}).status_code == 422
    assert client.patch(f"/api/runs/{run_id}", json={"name": "x", "priority": 1}).status_code == 409


def test_an_ended_run_stays_as_it_was(store: Stores, client: TestClient) -> None:
    run_id = add(store, state=State.SUCCEEDED)
    assert client.patch(f"/api/runs/{run_id}", json={"priority": 1}).status_code == 409
    assert client.get(f"/api/runs/{run_id}").json()["priority"] == 0


ADMIN_CALLS = [("/api/admin/maintenance", {"enabled": True}), ("/api/admin/runs/some-run/requeue", None)]


@pytest.mark.parametrize(("path", "body"), ADMIN_CALLS)
@pytest.mark.parametrize("given", [{}, {"X-Admin-Secret": "wrong"}, {"X-Admin-Secret": ""}])
def test_admin_calls_need_the_secret(
    client: TestClient, path: str, body: dict[str, Any] | None, given: dict[str, str]
) -> None:
    response = client.post(path, json=body, headers=given)
    assert (response.status_code, response.json()["code"]) == (401, "wrong-secret")
    assert SECRET not in response.text


@pytest.mark.parametrize(("path", "body"), ADMIN_CALLS)
@pytest.mark.parametrize("secret", [None, ""])
def test_without_a_secret_admin_calls_are_closed_to_all(
    wired: ApiServices, path: str, body: dict[str, Any] | None, secret: str | None
) -> None:
    client = client_for(create_app(replace(wired, admin_secret=secret)))
    response = client.post(path, json=body, headers={"X-Admin-Secret": ""})
    assert (response.status_code, response.json()["code"]) == (403, "admin-disabled")
    assert "ADMIN_SECRET" in response.json()["detail"]


def test_a_canceled_run_is_requeued_by_who_may_control_it(client: TestClient) -> None:
    run_id = started(client)
    path = f"/api/runs/{run_id[:8]}/requeue"
    refused = client.post(path)
    assert (refused.status_code, refused.json()["code"]) == (409, "illegal-transition")
    client.post(f"/api/runs/{run_id}/cancel")
    assert client.post(path).json()["status"] == "queued"
    assert client.post("/api/runs/nothing-here/requeue").status_code == 404


def test_a_canceled_run_is_requeued_by_the_operator(client: TestClient) -> None:
    run_id = started(client)
    path = f"/api/admin/runs/{run_id}/requeue"
    refused = client.post(path, headers=ADMIN)
    assert (refused.status_code, refused.json()["code"]) == (400, "illegal-transition")
    client.post(f"/api/runs/{run_id}/cancel")
    response = client.post(path, headers=ADMIN)
    assert (response.status_code, response.json()["status"]) == (200, "queued")
    assert client.post("/api/admin/runs/nothing-here/requeue", headers=ADMIN).status_code == 400


@asynccontextmanager
async def working(world: World, seen: list[ShardId], release: asyncio.Event) -> AsyncGenerator[None]:
    """A worker that notes each shard and holds it until it is released."""

    async def hold(shard_id: ShardId) -> None:
        seen.append(shard_id)
        await release.wait()

    async def never(shard_id: ShardId, error: Exception) -> None:
        raise AssertionError(shard_id) from error

    work = asyncio.create_task(world.queue.work(WorkerConfig(hold, never, slots=1)))
    yield
    release.set()
    await world.queue.drain(grace_s=1)
    await work


async def test_maintenance_drains_the_queue_and_tells_when_nothing_runs() -> None:
    world = World()
    wired = replace(
        services(world.store),
        engine=world.engine,
        admin_secret=SECRET,
        maintenance=Maintenance(message="upgrading"),
    )
    spec = RunSpec(("test/scripted",), ("letters",), data="demo")
    seen: list[ShardId] = []
    release = asyncio.Event()
    async with served(create_app(wired)) as client, working(world, seen, release):

        async def switched(*, enabled: bool) -> dict[str, Any]:
            body, headers = {"enabled": enabled}, {"X-Admin-Secret": SECRET}
            async with client.post("/api/admin/maintenance", json=body, headers=headers) as response:
                found: dict[str, Any] = await response.json()
                return found

        async def is_idle() -> bool:
            async with client.get("/api/status") as response:
                return bool((await response.json())["idle"])

        first = await create_run(world.engine, spec)
        while not seen:
            await asyncio.sleep(0)
        on = await switched(enabled=True)
        assert (on["maintenance_mode"], on["message"], on["idle"]) == (True, "upgrading", False)
        await create_run(world.engine, spec)
        release.set()
        while not await is_idle():
            pass
        assert seen == [(await world.store.shards.list(first.id))[0].id], "nothing starts while it is on"
        off = await switched(enabled=False)
        assert (off["maintenance_mode"], off["message"]) == (False, "")
        while len(seen) < 2:
            await asyncio.sleep(0)


def test_the_message_of_maintenance_can_be_given(client: TestClient) -> None:
    body = {"enabled": True, "message": "back at noon"}
    assert client.post("/api/admin/maintenance", json=body, headers=ADMIN).json()["message"] == "back at noon"
    refused = client.post("/api/runs", json=ASKED)
    assert (refused.status_code, refused.json()["detail"]) == (503, "back at noon")


def test_archived_runs_are_listed_apart_and_open_as_before(store: Stores, client: TestClient) -> None:
    archived, other = add(store, state=State.SUCCEEDED), started(client)
    changed = client.patch(f"/api/runs/{archived}", json={"is_archived": True})
    assert (changed.status_code, changed.json()["is_archived"]) == (200, True)
    assert [one["id"] for one in client.get("/api/runs").json()["runs"]] == [other]
    assert [one["id"] for one in client.get("/api/runs?is_archived=true").json()["runs"]] == [archived]
    assert client.get(f"/api/runs/{archived}").status_code == 200
    assert client.patch(f"/api/runs/{archived}", json={"name": "kept"}).json()["is_archived"] is True


def test_runs_are_deleted_together_or_not_at_all(store: Stores, client: TestClient) -> None:
    ended, waiting = add(store, state=State.SUCCEEDED), started(client)
    refused = client.delete("/api/runs", params={"run": [ended, waiting]})
    assert (refused.status_code, refused.json()["code"]) == (409, "illegal-transition")
    assert client.delete("/api/runs", params={"run": [ended, "nosuchrun"]}).status_code == 404
    assert client.get("/api/runs").json()["total"] == 2
    client.post(f"/api/runs/{waiting}/cancel")
    deleted = client.delete("/api/runs", params={"run": [ended[:8], waiting]})
    assert (deleted.status_code, deleted.json()["runs"]) == (200, [ended, waiting])
    assert client.get("/api/runs").json()["total"] == 0
    assert client.delete("/api/runs").status_code == 422
