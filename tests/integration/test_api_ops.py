"""Models, overview and metrics."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from fastapi.testclient import TestClient
from prometheus_client.parser import text_string_to_metric_families

from assay.adapters.models.directory import HttpModelDirectory, ServedModel
from assay.adapters.queue.memory import MemoryQueue
from assay.adapters.sandbox.sandy.telemetry import SandyTelemetry
from assay.api.access.key_throttle import KeyThrottle
from assay.api.app import create_app
from assay.api.dependencies import ApiServices, Maintenance
from assay.api.operations.metrics import Metrics
from assay.domain.attempt import AttemptKey
from assay.domain.benchmark import ItemId
from assay.domain.calls.timing import StreamTiming
from assay.domain.programs.sandbox import Isolation, Limit, SandboxSession, Spec
from assay.domain.run import RunSpec, State
from assay.engine.execution.create import create_run
from assay.engine.execution.queue import WHOLE_QUEUE
from assay.engine.execution.shards import Activity, ShardExecutor
from assay.engine.fleet.minutes import note_minute
from assay.engine.loop_watchdog import LoopWatchdog
from assay.engine.sandbox.health import SandboxHealth, sandbox_health
from assay.engine.sandbox.selection import Choice, Probe
from assay.engine.stores.fleet import Worker
from tests.builders import NOON, LetterBenchmark, World, attempt
from tests.integration.serving import client_for, services
from tests.stores import set_silent

SPEC = RunSpec(("test/scripted",), ("letters",), data="demo")


@pytest.fixture
def world() -> World:
    return World(benchmark=LetterBenchmark(size=40))


@pytest.fixture
def wired(world: World) -> ApiServices:
    return replace(services(world.store), engine=world.engine)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


def test_models_are_the_built_in_ones_and_the_providers(client: TestClient) -> None:
    found = client.get("/api/models", params={"search": "GOO", "limit": 1}).json()
    [model] = found["models"]
    assert (model["id"], model["slug"], model["provider"], model["is_active"]) == (
        "sim/good",
        "sim/good",
        "sim",
        True,
    )
    assert {"name", "tagline", "user", "logo", "chute_id", "instance_count"} < model.keys()
    providers = {one["prefix"]: one for one in found["providers"]}
    assert providers["vllm/"]["is_ready"] is True
    assert (providers["openai/"]["is_ready"], providers["openai/"]["key_variable"]) == (
        False,
        "OPENAI_API_KEY",
    )


def test_the_total_counts_all_pages(client: TestClient) -> None:
    whole = client.get("/api/models").json()
    page = client.get("/api/models", params={"limit": 2, "offset": 1}).json()
    assert page["total"] == whole["total"] == len(whole["models"]) > 3
    assert page["models"] == whole["models"][1:3]


def test_a_key_is_never_shown(wired: ApiServices) -> None:
    directory = HttpModelDirectory(
        {"OPENAI_API_KEY": "sk-secret", "VLLM_BASE_URL": "http://me:pw-secret@h/v1?t=q-secret"}
    )
    response = client_for(create_app(replace(wired, directory=directory))).get("/api/models")
    assert '"openai/","is_ready":true' in response.text
    assert "secret" not in response.text


class Lab:
    """A directory with one endpoint, which lists two models."""

    def providers(self) -> tuple[()]:
        return ()

    async def served(self, prefix: str) -> tuple[ServedModel, ...]:
        assert prefix == "openai-api/lab"
        return (ServedModel("a/one"), ServedModel("two"))


def test_the_models_of_an_endpoint_are_named_as_a_run_names_them(wired: ApiServices) -> None:
    client = client_for(create_app(replace(wired, directory=Lab())))
    found = client.get("/api/models/openai-api/lab").json()
    assert [one["id"] for one in found["models"]] == ["openai-api/lab/a/one", "openai-api/lab/two"]
    assert client.get("/api/models/openai-api/lab/", params={"search": "two"}).json()["total"] == 1


@pytest.mark.parametrize(("prefix", "status"), [("nobody", 404), ("openai", 502), ("openai-api/lab", 422)])
def test_an_endpoint_that_cannot_be_asked_is_a_problem(client: TestClient, prefix: str, status: int) -> None:
    assert client.get(f"/api/models/{prefix}").status_code == status


def test_the_simulated_models_can_be_listed_too(client: TestClient) -> None:
    found = client.get("/api/models/sim").json()
    assert "sim/oracle" in [one["id"] for one in found["models"]]


def worker(**changes: object) -> Worker:
    made = Worker("w1", "host", NOON, slots=1, endpoints={"http://h/v1": 3}, version="1")
    return replace(made, **changes)


async def test_the_overview_tells_when_runs_start_and_finish() -> None:
    queue = MemoryQueue()
    world = World(benchmark=LetterBenchmark(size=40), queue=queue)
    client = client_for(create_app(replace(services(world.store), engine=world.engine)))
    engine, store = world.engine, world.store
    first = await create_run(engine, SPEC)
    shards = await store.shards.list(first.id)
    [evaluation] = await store.runs.evaluations(first.id)
    claimed = await queue.claim(WHOLE_QUEUE)
    assert claimed is not None
    assert claimed.shard_id == shards[0].id
    second = await create_run(engine, SPEC)
    third = await create_run(engine, replace(SPEC, priority=-1))
    # A worker has the first shard of the first run, and has done half of it in ten seconds.
    await store.runs.set_state(first.id, State.RUNNING, at=NOON)
    await store.runs.set_evaluation_state(evaluation.id, State.RUNNING, at=NOON)
    made = [attempt(str(item), evaluation_id=evaluation.id) for item in range(10)]
    await store.attempts.add(made)
    await world.clock.sleep(10)
    await store.fleet.heartbeat(worker(running=(shards[0].id,)))
    found = client.get("/api/ops/overview").json()
    assert found["queue"] == {"queued": 5, "running": 1}
    assert found["queue_counts"]["queued"] == 2
    [running] = found["running_runs"]
    assert (running["id"], running["attempts_per_s"], running["queue_position"]) == (first.id, 1.0, None)
    assert running["progress"] == {"completed": 10, "total": 40}
    assert [(one["id"], one["queue_position"]) for one in found["queued_runs"]] == [
        (third.id, 1),
        (second.id, 2),
    ]
    starts = [one["start_in_s"] for one in found["queued_runs"]]
    assert starts[0]["low"] == 0
    assert starts[0]["low"] < starts[0]["high"] < starts[1]["high"]
    for one in (running, *found["queued_runs"]):
        assert 0 < one["finish_in_s"]["low"] < one["finish_in_s"]["high"]
    # 30 of the third and 15 of the first's second shard lie before the end of the first.
    assert running["finish_in_s"]["low"] < 55 < running["finish_in_s"]["high"]
    for one in (running, *found["queued_runs"]):
        detail = client.get(f"/api/runs/{one['id'][:8]}").json()
        for estimate in ("queue_position", "start_in_s", "finish_in_s"):
            assert detail[estimate] == one[estimate]
    [shown] = found["workers"]
    assert (shown["worker_id"], shown["running_runs"], shown["is_alive"]) == ("w1", 1, True)
    assert shown["calls_in_flight"] == {"http://h/v1": 3}


async def test_a_run_has_its_place_in_the_queue_from_the_first_look_on(
    world: World, client: TestClient
) -> None:
    for position in (1, 2, 3):
        run = await create_run(world.engine, SPEC)
        assert client.get(f"/api/runs/{run.id}").json()["queue_position"] == position


async def test_the_pace_is_that_of_the_last_minutes(world: World, client: TestClient) -> None:
    run = await create_run(world.engine, SPEC)
    [evaluation] = await world.store.runs.evaluations(run.id)
    await world.store.runs.set_state(run.id, State.RUNNING, at=NOON)
    await world.store.runs.set_evaluation_state(evaluation.id, State.RUNNING, at=NOON)
    await world.clock.sleep(1000)
    await world.store.fleet.heartbeat(worker())
    assert client.get("/api/ops/overview").json()["running_runs"][0]["attempts_per_s"] is None
    await world.clock.sleep(10)
    await world.store.attempts.add([attempt(str(n), evaluation_id=evaluation.id) for n in range(20)])
    assert client.get("/api/ops/overview").json()["running_runs"][0]["attempts_per_s"] == 2.0


async def test_the_pace_of_others_foretells_nothing_once_it_has_been_belied(
    world: World, client: TestClient
) -> None:
    run = await world.run()  # in no time at all
    await world.store.runs.set_state(run.id, State.QUEUED, at=NOON)
    await world.store.runs.set_state(run.id, State.RUNNING, at=NOON)
    await world.clock.sleep(4)
    await world.store.runs.set_state(run.id, State.SUCCEEDED, at=world.clock.now())
    slow = await create_run(world.engine, SPEC)
    await world.store.runs.set_state(slow.id, State.RUNNING, at=world.clock.now())
    for seconds, is_foretold in ((1, True), (20, False)):
        await world.clock.sleep(seconds)
        await world.store.fleet.heartbeat(worker())
        [shown] = client.get("/api/ops/overview").json()["running_runs"]
        assert (shown["finish_in_s"] is not None) is is_foretold


@pytest.mark.parametrize("trouble", ["no worker", "maintenance"])
async def test_without_anybody_at_work_nothing_is_foretold(
    world: World, wired: ApiServices, trouble: str
) -> None:
    await world.run()
    await create_run(world.engine, SPEC)
    if trouble == "maintenance":
        wired = replace(wired, maintenance=Maintenance(is_on=True))
        await world.store.fleet.heartbeat(worker())
    else:
        await world.store.fleet.heartbeat(worker())
        await set_silent(world.store, "w1", 300)
    found = client_for(create_app(wired)).get("/api/ops/overview").json()
    [queued] = found["queued_runs"]
    assert (queued["queue_position"], queued["start_in_s"], queued["finish_in_s"]) == (1, None, None)
    assert len(found["completed_runs"]) == 1


async def test_tokens_of_the_last_day_and_week_are_summed(world: World) -> None:
    await world.run()
    await world.clock.sleep(timedelta(days=2).total_seconds())
    await world.run()
    wired = replace(services(world.store), engine=world.engine)
    found = client_for(create_app(wired)).get("/api/ops/overview").json()["token_stats"]
    assert found["last_24h"] == {"window_hours": 24, "input_tokens": 400, "output_tokens": 40}
    assert found["last_7d"] == {"window_hours": 168, "input_tokens": 800, "output_tokens": 80}


async def test_attempts_that_stall_in_this_process_are_listed(world: World, wired: ApiServices) -> None:
    run = await create_run(world.engine, SPEC)
    executor = ShardExecutor(world.engine)
    [evaluation] = await world.store.runs.evaluations(run.id)
    shard = (await world.store.shards.list(run.id))[0]
    waiting = {
        AttemptKey(ItemId("1"), 0): 0.0,
        AttemptKey(ItemId("2"), 0): 80.0,
        AttemptKey(ItemId("3"), 0): 40.0,
    }
    executor.activities[shard.id] = Activity(shard, run, evaluation, waiting)
    await world.clock.sleep(90)
    found = client_for(create_app(replace(wired, executor=executor))).get("/api/ops/overview").json()
    assert [(one["item_id"], one["idle_s"]) for one in found["stalled"]] == [("1", 90), ("3", 50)]
    await executor.close()


def figures(text: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_metrics_are_in_the_text_format(world: World, wired: ApiServices) -> None:
    run = await world.run()
    [evaluation] = await world.store.runs.evaluations(run.id)
    timed = attempt("0", sample=1, evaluation_id=evaluation.id, timing=StreamTiming(90.0, 80.0))
    await world.store.attempts.add([timed])
    await world.store.fleet.heartbeat(worker())
    await world.store.fleet.heartbeat(worker(id="w2"))
    await set_silent(world.store, "w2", 300)
    watched = replace(wired, watchdog=LoopWatchdog(blocked_count=2))
    response = client_for(create_app(watched)).get("/metrics")
    assert response.headers["content-type"].startswith("text/plain")
    found = figures(response.text)
    assert found["assay_runs", "succeeded"] == 1
    assert found["assay_runs", "running"] == 0
    assert found["assay_attempts", "correct"] == 41
    assert found["assay_attempts", "timeout"] == 0
    assert (found["assay_workers",], found["assay_worker_slots",]) == (1, 1)
    assert found["assay_queue_shards", "running"] == 0
    assert found["assay_calls_in_flight", "http://h/v1"] == 3
    assert found["assay_event_loop_blocked_total",] == 2
    model = run.spec.models[0]
    assert found["assay_answer_duration_seconds_count", model] == 1
    assert found["assay_answer_duration_seconds_sum", model] == 0.09
    assert found["assay_time_to_first_token_seconds_bucket", "0.1", model] == 1
    assert run.id not in response.text


async def test_attempts_are_counted_right_when_a_run_is_opened_again(world: World) -> None:
    metrics = Metrics(world.engine, KeyThrottle(world.clock.monotonic), LoopWatchdog())

    async def counted() -> float:
        return figures((await metrics.exposition()).decode())["assay_attempts", "correct"]

    run = await world.run()
    [evaluation] = await world.store.runs.evaluations(run.id)
    await world.clock.sleep(60)
    assert [await counted(), await counted()] == [40, 40]
    for state in (State.QUEUED, State.RUNNING):
        await world.store.runs.set_state(run.id, state, at=world.clock.now())
    await world.store.attempts.add([attempt("0", sample=1, evaluation_id=evaluation.id)])
    assert await counted() == 41
    await world.store.runs.set_state(run.id, State.SUCCEEDED, at=world.clock.now())
    await world.clock.sleep(60)
    assert [await counted(), await counted()] == [41, 41]


async def test_the_overview_tells_how_busy_each_minute_was(world: World, client: TestClient) -> None:
    await create_run(world.engine, SPEC)
    await world.store.fleet.heartbeat(worker())
    await note_minute(world.store.fleet, world.store.runs, world.clock)
    await world.clock.sleep(120)
    await world.store.fleet.heartbeat(worker())
    await create_run(world.engine, SPEC)
    found = client.get("/api/ops/overview", params={"minutes": 30}).json()
    series = found["timeseries"]
    assert len(series) == 30
    assert [one["timestamp"] for one in series[-3:]] == [
        (NOON + timedelta(minutes=minute)).isoformat().replace("+00:00", "Z") for minute in range(3)
    ]
    counts = [(one["worker_count"], one["running_runs"], one["queued_runs"]) for one in series[-4:]]
    assert counts == [(0, 0, 0), (1, 0, 1), (0, 0, 1), (1, 0, 2)]
    assert len(client.get("/api/ops/overview").json()["timeseries"]) == 360
    assert found["worker_config"]["item_concurrency"] == found["workers"][0]["item_concurrency"] == 16
    for minutes in (29, 1441, "x"):
        assert client.get("/api/ops/overview", params={"minutes": minutes}).status_code == 422


GOOD = Probe("bubblewrap", is_available=True, isolation=Isolation.NAMESPACES, enforced=frozenset({Limit.CPU}))
WEAK = Probe("unsafe", is_available=True, isolation=Isolation.NONE)


class ListedBackend:
    """Answers with the probe it was given; without one, never."""

    def __init__(self, name: str, probe: Probe | None) -> None:
        self.name, self.is_automatic, self._probe, self.is_closed = name, name != "unsafe", probe, False

    async def probe(self) -> Probe:
        return self._probe or await asyncio.get_running_loop().create_future()

    async def open(self, spec: Spec) -> SandboxSession:
        raise AssertionError(spec)

    async def close(self) -> None:
        self.is_closed = True


async def test_the_health_of_each_sandbox_is_told_and_remembered(wired: ApiServices) -> None:
    made: list[ListedBackend] = []

    def backends() -> list[ListedBackend]:
        made[:] = [
            ListedBackend("docker", None),
            ListedBackend("bubblewrap", GOOD),
            ListedBackend("unsafe", WEAK),
        ]
        return made

    looks = 0

    async def examine() -> SandboxHealth:
        nonlocal looks
        looks += 1
        return await sandbox_health(backends, Choice(), within_s=0.01)

    client = client_for(create_app(replace(wired, examine_sandboxes=examine)))
    found = client.get("/api/ops/sandbox").json()
    assert (found["selected"], found["asked_for"], found["min_isolation"]) == (
        "bubblewrap",
        "auto",
        "namespaces",
    )
    docker, bubblewrap, unsafe = found["backends"]
    assert (docker["available"], docker["reason"]) == (False, "it did not answer within 0.01 s")
    assert (bubblewrap["selected"], bubblewrap["isolation"], bubblewrap["limits"]) == (
        True,
        "namespaces",
        ["cpu"],
    )
    assert (unsafe["available"], unsafe["selected"]) == (True, False)
    assert all(one.is_closed for one in made)
    assert client.get("/api/ops/sandbox").json() == found
    assert looks == 1


async def test_where_no_sandbox_may_be_used_the_reasons_are_told() -> None:
    health = await sandbox_health(lambda: [ListedBackend("unsafe", WEAK)], Choice("unsafe"), within_s=1)
    assert health.selected is None
    assert "gives only 'none'" in health.reason


async def test_telemetry_of_the_sandbox_host_is_passed_on(wired: ApiServices) -> None:
    async def tell(request: web.Request) -> web.Response:
        if request.headers.get("Authorization") != "Bearer sandy-key":
            return web.json_response({"error": "who?"}, status=401)
        return web.json_response([request.path_qs])

    app = web.Application()
    app.router.add_get("/{path:.*}", tell)
    async with TestServer(app) as server:
        url = str(server.make_url("/"))
        client = client_for(create_app(replace(wired, sandbox_telemetry=SandyTelemetry(url, "sandy-key"))))
        refused = client_for(create_app(replace(wired, sandbox_telemetry=SandyTelemetry(url, "wrong"))))

        def told(path: str) -> object:
            return client.get(f"/api/ops/sandy/{path}").json()

        assert await asyncio.to_thread(told, "resources") == ["/api/resources"]
        assert await asyncio.to_thread(told, "metrics?hours=48") == ["/api/metrics/timeseries?hours=48"]
        assert await asyncio.to_thread(told, "sandboxes?ids=a,b") == ["/api/sandboxes/stats?ids=a,b"]
        response = await asyncio.to_thread(refused.get, "/api/ops/sandy/resources")
        assert response.status_code == 503
    for query in ("metrics?hours=0", "metrics?hours=49", "sandboxes?ids=../x"):
        assert client.get(f"/api/ops/sandy/{query}").status_code == 422
    assert client.get("/api/ops/sandy/metrics").status_code == 503, "it is gone"
    unset = client_for(create_app(wired)).get("/api/ops/sandy/resources")
    assert (unset.status_code, unset.json()["code"]) == (503, "no-sandbox-service")


async def test_a_run_whose_worker_is_silent_is_interrupted(world: World, wired: ApiServices) -> None:
    run = await create_run(world.engine, SPEC)
    await world.store.runs.set_state(run.id, State.RUNNING, at=NOON)
    client = client_for(create_app(wired))

    def interrupted() -> list[bool]:
        listed, shown = client.get("/api/runs").json()["runs"][0], client.get(f"/api/runs/{run.id}").json()
        assert listed["status"] == shown["status"] == "running"
        return [listed["is_interrupted"], shown["is_interrupted"]]

    assert interrupted() == [True, True]
    await world.store.fleet.heartbeat(worker())
    await world.store.fleet.share_connections(run.id, "w1", most=4, held=0)
    assert interrupted() == [False, False]
    await set_silent(world.store, "w1", 300)
    assert interrupted() == [True, True]
    client.post(f"/api/runs/{run.id}/resume")
    await world.store.fleet.heartbeat(worker())
    assert interrupted() == [False, False], "a worker is up and the queue has it"
