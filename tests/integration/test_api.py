"""The HTTP API over a store in memory: contract fields, paging, filters and errors."""

from dataclasses import replace
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from assay.adapters.store.runs.store import SqlRunStore
from assay.api.app import create_app, openapi_document
from assay.domain.calls.messages import Completion
from assay.domain.calls.timing import StreamTiming
from assay.domain.errors import StoreError
from assay.domain.outcome import Outcome
from assay.domain.run import Budget, EvaluationId, Run, RunId, RunSpec, State
from assay.domain.stopping import StopRule
from assay.engine.execution.control import resume
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.ports import Request
from assay.engine.stores import Stores
from assay.engine.stores.runs import RunFilter, StoredPage, StoredRun
from tests.builders import NOON, LetterBenchmark, ScriptedModel, Seeded, World, attempt, right
from tests.conftest import REPOSITORY
from tests.contracts.test_run_store import SUMMARY
from tests.integration.serving import add, client_for, client_of, services
from tests.log_lines import logged
from tests.stores import MemoryDatabase, memory_stores

RUN_FIELDS = {
    "id", "model_id", "model_slug", "provider", "subset_pct", "subset_count", "subset_seed", "status",
    "selected_benchmarks", "overall_score", "error_message", "provider_metadata", "started_at",
    "completed_at", "created_at", "benchmarks",
}  # fmt: skip
BENCHMARK_FIELDS = {
    "id", "benchmark_name", "status", "total_items", "completed_items", "sampled_items", "score", "metrics",
    "error_message", "started_at", "completed_at",
}  # fmt: skip
ITEM_FIELDS = {
    "id", "item_id", "item_hash", "prompt", "response", "expected", "is_correct", "score", "judge_output",
    "latency_ms", "input_tokens", "output_tokens", "error", "test_code", "item_metadata", "created_at",
}  # fmt: skip
SUMMARY_FIELDS = {
    "total_items", "correct", "answered", "incorrect", "errors", "avg_latency_ms", "input_tokens",
    "output_tokens", "total_tokens", "input_cost_usd", "output_cost_usd", "total_cost_usd",
    "pricing_input_per_million_usd", "pricing_output_per_million_usd", "error_breakdown",
}  # fmt: skip
CARD_FIELDS = {
    "name", "display_name", "description", "category", "is_enabled", "supports_subset", "requires_setup",
    "setup_notes", "default_selected", "total_items", "avg_item_latency_ms",
}  # fmt: skip


@pytest.fixture
def store() -> Stores:
    return memory_stores()


@pytest.fixture
def client(store: Stores) -> TestClient:
    return client_of(store)


def test_health(client: TestClient) -> None:
    assert client.get("/api/health").json() == {"status": "healthy"}


def test_status_counts_what_runs_and_waits(store: Stores) -> None:
    add(store, 1, state=State.RUNNING)
    add(store, 2)
    add(store, 3)
    add(store, 4, state=State.FAILED)
    client = client_of(store, maintenance="back at noon")
    assert client.get("/api/status").json() == {
        "maintenance_mode": True,
        "message": "back at noon",
        "version": "1.2.3",
        "running": 1,
        "queued": 2,
        "paused": 0,
        "idle": True,
    }


def test_outside_maintenance_there_is_no_message(client: TestClient) -> None:
    found = client.get("/api/status").json()
    assert (found["maintenance_mode"], found["message"]) == (False, "")


def test_runs_come_newest_first_with_the_true_total(store: Stores, client: TestClient) -> None:
    for number in range(5):
        add(store, number)
    page = client.get("/api/runs", params={"limit": 2, "offset": 1}).json()
    assert [run["id"] for run in page["runs"]] == ["00000003-run", "00000002-run"]
    assert page["total"] == 5


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"status": "running"}, [2]),
        ({"model_slug": "GEMINI"}, [3, 2]),
        ({"model_slug": "good", "status": "queued"}, [1]),
        ({"model_slug": "gemini", "limit": 1}, [3]),
        ({"model_slug": "%"}, []),
        ({"benchmark": "letters", "limit": 2}, [3, 2]),
        ({"benchmark": "other"}, []),
        ({"sort": "created"}, [1, 2, 3]),
        ({"sort": "-score"}, [3, 2, 1]),
    ],
)
def test_filters(store: Stores, client: TestClient, query: dict[str, str], found: list[int]) -> None:
    add(store, 1)
    add(store, 2, spec=RunSpec(("openrouter/google/gemini-2.5-pro",), ("letters",)), state=State.RUNNING)
    add(store, 3, spec=RunSpec(("sim/weak", "openrouter/google/gemini-2.5-pro"), ("letters",)))
    page = client.get("/api/runs", params=query).json()
    assert [int(run["id"][:8]) for run in page["runs"]] == found


def test_a_part_of_a_models_name_is_counted_over_all_pages(store: Stores, client: TestClient) -> None:
    for number in range(3):
        add(store, number)
    page = client.get("/api/runs", params={"model_slug": "good", "limit": 1, "offset": 1}).json()
    assert [run["id"] for run in page["runs"]] == ["00000001-run"]
    assert page["total"] == 3


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 201}, "limit"),
        ({"limit": 0}, "limit"),
        ({"offset": -1}, "offset"),
        ({"status": "x"}, "status"),
        ({"sort": "age"}, "sort"),
    ],
)
def test_invalid_queries_name_the_field(client: TestClient, query: dict[str, Any], field: str) -> None:
    response = client.get("/api/runs", params=query)
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert [one["field"] for one in response.json()["errors"]] == [field]


def test_a_queued_run_in_the_contracts_terms(store: Stores, client: TestClient) -> None:
    run = client.get(f"/api/runs/{add(store)}").json()
    [benchmark] = run["benchmarks"]
    assert run.keys() >= RUN_FIELDS
    assert benchmark.keys() >= BENCHMARK_FIELDS
    assert (run["status"], benchmark["status"]) == ("queued", "pending")
    assert run["created_at"] == "2026-01-02T12:00:00Z"
    assert (run["model_id"], run["provider"]) == ("sim/good", "sim")


def test_a_live_run_tells_how_far_it_is(store: Stores, client: TestClient) -> None:
    run_id = add(store, state=State.RUNNING, attempts=[attempt("0"), attempt("1")])
    run = client.get(f"/api/runs/{run_id}").json()
    assert run["progress"] == {"completed": 2, "total": 4}
    assert run["benchmarks"][0]["completed_items"] == 2
    assert run["evaluations"][0]["progress"] == {"completed": 2, "total": 4}


async def test_a_finished_run_shows_its_score_with_all_it_needs() -> None:
    world = World(benchmark=LetterBenchmark(size=40))
    run_id = (await world.run()).id
    run = client_of(world.store).get(f"/api/runs/{run_id}").json()
    [evaluation] = run["evaluations"]
    assert run["status"] == "succeeded"
    assert run["overall_score"] == evaluation["score"]["value"] == 1.0
    assert (run["scored_evaluations"], run["total_evaluations"]) == (1, 1)
    assert run["benchmarks"][0]["metrics"] == {
        "accuracy": 1.0,
        "correct": 40,
        "score": 1.0,
        "total_items": 40,
        "sampled_items": 40,
        "sampled_pct": 100.0,
        "subset_count": None,
        "subset_seed": "assay",
    }
    assert evaluation["score"]["n"] == 40
    assert evaluation["score"]["interval"]["low"] < 1.0
    assert (evaluation["scored"], evaluation["total"]) == (40, 40)
    assert evaluation["outcomes"] == {"correct": 40}
    assert evaluation["unparsed_share"] == evaluation["cut_share"] == 0.0
    assert evaluation["data"]["source"] == "demo"
    assert len(evaluation["fingerprint"]) == 64
    assert evaluation["categories"].keys() == {"vowel", "consonant"}
    assert evaluation["cost_usd"] is None, "an unknown price is unknown, never 0"
    assert run["cost_usd"] is None


async def test_a_benchmark_says_how_long_an_answer_took() -> None:
    def timed(request: Request, number: int) -> Completion:
        return replace(right(request, number), timing=StreamTiming(250.0))

    world = World(model=ScriptedModel(timed))
    [before] = client_of(world.store).get("/api/benchmarks").json()["benchmarks"]
    assert before["avg_item_latency_ms"] is None
    await world.run()
    [after] = client_of(world.store).get("/api/benchmarks").json()["benchmarks"]
    assert after["avg_item_latency_ms"] == 250.0


async def test_a_run_that_is_queued_again_has_no_overall_score() -> None:
    world = World(benchmark=LetterBenchmark(size=40))
    run = await world.run(budget=Budget(tokens=40), max_connections=1)
    await resume(world.engine.lifecycle, run.id)
    shown = client_of(world.store).get(f"/api/runs/{run.id}").json()
    assert (shown["status"], shown["overall_score"]) == ("queued", None)
    assert shown["evaluations"][0]["scored"] == 4


async def test_a_failed_evaluation_is_seen_in_status_and_score(store: Stores, client: TestClient) -> None:
    names = tuple(f"letters-{number}" for number in range(7))
    reason = "1 of 7 evaluations failed: sim/good on letters-6: no key"
    run = Run(RunId("0" * 8), RunSpec(("sim/good",), names), NOON, State.FAILED, error=reason)
    evaluations = [
        Seeded(run).evaluation(
            id=EvaluationId(name), benchmark=name, state=State.SUCCEEDED, finished_at=NOON, summary=SUMMARY
        )
        for name in names
    ]
    evaluations[-1] = replace(evaluations[-1], state=State.FAILED, error="no key")
    await store.runs.add(run, evaluations, [])
    shown = client.get(f"/api/runs/{run.id}").json()
    assert (shown["status"], shown["error_message"]) == ("failed", reason)
    assert (shown["scored_evaluations"], shown["total_evaluations"]) == (6, 7)
    assert SUMMARY.score is not None
    assert shown["overall_score"] == pytest.approx(SUMMARY.score.value)


async def test_a_score_that_says_little_has_a_warning() -> None:
    world = World(model=ScriptedModel(lambda _request, _number: Completion("no letter")))
    run_id = (await world.run()).id
    [evaluation] = client_of(world.store).get(f"/api/runs/{run_id}").json()["evaluations"]
    assert evaluation["warnings"] == [
        {"code": "most_unanswered", "message": "4 of 4 replies have no answer (4 unparsed)"}
    ]


async def test_lists_leave_out_what_is_long() -> None:
    world = World()
    await world.run()
    [run] = client_of(world.store).get("/api/runs").json()["runs"]
    assert run["evaluations"][0]["score"]["value"] == 1.0
    assert "categories" not in run["evaluations"][0]


def test_several_models_have_no_common_mean(store: Stores, client: TestClient) -> None:
    run_id = add(store, spec=RunSpec(("sim/good", "openai/x"), ("letters",)))
    run = client.get(f"/api/runs/{run_id}").json()
    assert run["models"] == ["sim/good", "openai/x"]
    assert (run["model_id"], run["provider"]) == ("sim/good,openai/x", "sim,openai")
    assert run["overall_score"] is None
    assert [one["model"] for one in run["benchmarks"]] == ["sim/good", "openai/x"]


def test_the_beginning_of_an_id_is_enough(store: Stores, client: TestClient) -> None:
    run_id = add(store)
    assert client.get(f"/api/runs/{run_id[:8]}").json()["id"] == run_id


def test_an_unknown_run_is_a_problem_that_says_so(client: TestClient) -> None:
    response = client.get("/api/runs/nothing-here")
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["code"] == "unknown-name"
    assert "'nothing-here'" in problem["detail"]
    assert problem["instance"] == "/api/runs/nothing-here"


def test_item_pages_hold_every_attempt_once(store: Stores, client: TestClient) -> None:
    made = [attempt(str(item), sample=sample) for item in range(4) for sample in range(3)]
    path = f"/api/runs/{add(store, state=State.RUNNING, attempts=made)}/benchmarks/letters"
    pages = [client.get(path, params={"limit": 5, "offset": offset}).json() for offset in (0, 5, 10, 15)]
    seen = [(one["item_id"], one["sample"]) for page in pages for one in page["items"]["items"]]
    assert seen == sorted((str(item), sample) for item in range(4) for sample in range(3))
    assert {page["items"]["total"] for page in pages} == {12}
    assert pages[0]["items"]["items"][0].keys() >= ITEM_FIELDS
    assert pages[0]["summary"].keys() == SUMMARY_FIELDS
    assert pages[0]["benchmark"].keys() >= BENCHMARK_FIELDS


def test_an_attempt_without_a_verdict_is_neither_right_nor_wrong(store: Stores, client: TestClient) -> None:
    lost = attempt("0", outcome=Outcome.TIMEOUT, score=None, error_message="no byte for 30 s")
    path = f"/api/runs/{add(store, state=State.RUNNING, attempts=[lost])}/benchmarks/letters"
    [item] = client.get(path).json()["items"]["items"]
    assert (item["is_correct"], item["score"], item["error"]) == (None, None, "no byte for 30 s")


def test_broken_text_of_a_model_is_sent_as_text(store: Stores, client: TestClient) -> None:
    hostile = attempt("0", answer="\ud83d<script>\x00", explanation="\udfff", details={"\ud800": ("\udc00",)})
    path = f"/api/runs/{add(store, state=State.RUNNING, attempts=[hostile])}/benchmarks/letters"
    [item] = client.get(path).json()["items"]["items"]
    assert item["response"] == "�<script>\x00"
    assert item["judge_output"] == {"explanation": "�", "details": {"�": ["�"]}}


def test_items_of_several_models_need_a_model(store: Stores, client: TestClient) -> None:
    spec = RunSpec(("sim/good", "sim/weak"), ("letters",))
    path = f"/api/runs/{add(store, spec=spec, state=State.RUNNING, attempts=[attempt()])}/benchmarks/letters"
    refused = client.get(path)
    assert refused.status_code == 422
    assert "'sim/weak'" in refused.json()["detail"]
    assert client.get(path, params={"model": "sim/good"}).json()["items"]["total"] == 1
    assert client.get(path, params={"model": "sim/weak"}).json()["items"]["total"] == 0
    assert client.get(path, params={"model": "sim/other"}).status_code == 404
    assert client.get(path.replace("letters", "other")).status_code == 404
    assert client.get(path, params={"limit": 501}).status_code == 422


def test_benchmarks_are_listed_with_the_broken_ones_apart(client: TestClient) -> None:
    found = client.get("/api/benchmarks").json()
    [card] = found["benchmarks"]
    assert card.keys() >= CARD_FIELDS
    assert (card["name"], card["total_items"], card["requires_setup"]) == ("letters", 4, False)
    assert found["broken"] == [{"name": "typo", "error": "ModuleNotFoundError: no module 'x'"}]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(StoreError("the disk is full"), 503, "store"), (RuntimeError("secret detail"), 500, "internal")],
)
def test_failures_are_problems_and_bugs_keep_their_secrets(error: Exception, status: int, code: str) -> None:
    class Failing(SqlRunStore):
        async def page_with_outcomes(self, wanted: RunFilter) -> StoredPage:
            raise error

    response = client_of(replace(memory_stores(), runs=Failing(MemoryDatabase()))).get("/api/runs")
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert "secret" not in response.text


def test_the_log_lines_of_a_request_for_a_run_name_it() -> None:
    class Failing(SqlRunStore):
        async def get_with_outcomes(self, run_id: str) -> StoredRun:
            raise StoreError(f"no {run_id}")

    client = client_of(replace(memory_stores(), runs=Failing(MemoryDatabase())))
    with logged() as lines:
        for run_id in ("3fa85f64", "run_id=other"):
            assert client.get(f"/api/runs/{run_id}").status_code == 503
    assert [one.get("run_id") for one in lines] == ["3fa85f64", None]


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/api/nothing", 404), ("PUT", "/api/runs", 405)]
)
def test_wrong_paths_and_methods_are_problems(
    client: TestClient, method: str, path: str, status: int
) -> None:
    response = client.request(method, path, headers={"accept": "text/html"})
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"


def test_the_committed_description_is_that_of_the_code() -> None:
    committed = (REPOSITORY / "ui" / "openapi.json").read_bytes()
    assert openapi_document() == committed, (
        "run: assay openapi > ui/openapi.json && npm --prefix ui run types"
    )


def test_operations_are_named_after_functions_and_errors_are_typed(store: Stores) -> None:
    app = create_app(services(store))
    assert {"list_runs", "show_run", "list_items", "list_benchmarks", "health", "status"} <= _operations(app)
    responses = app.openapi()["paths"]["/api/runs/{run_id}"]["get"]["responses"]
    assert responses["404"]["content"].keys() == {"application/problem+json"}
    assert responses["422"]["content"].keys() == {"application/problem+json"}


def _operations(app: FastAPI) -> set[str]:
    return {
        operation["operationId"] for path in app.openapi()["paths"].values() for operation in path.values()
    }


def test_a_body_that_is_not_text_is_a_documented_problem(client: TestClient, store: Stores) -> None:
    app = create_app(services(store))
    for path, operations in app.openapi()["paths"].items():
        for method, operation in operations.items():
            assert "requestBody" not in operation or "400" in operation["responses"], (method, path)

    response = client.post(
        "/api/runs/r/annotations", content=b'{"label": "\xff"}', headers={"content-type": "application/json"}
    )
    assert response.status_code == 400
    assert response.json()["detail"] == "the body is not UTF-8: invalid start byte at byte 11"


def test_no_endpoint_is_left_undescribed(store: Stores) -> None:
    app = create_app(services(store))
    described = app.openapi()["paths"].keys()
    routes: tuple[APIRoute, ...] = app.state.routes
    served = {route.path_format for route in routes if route.include_in_schema}
    assert len(served) > 20
    assert served == described


async def test_a_run_id_may_be_shortened_on_every_path() -> None:
    wired = services(memory_stores())
    spec = RunSpec(("sim/good",), ("letters",), data="demo", samples=2, stop=StopRule(bar=0.5))
    run = await create_run(wired.engine, spec)
    await execute_run(wired.engine, run.id)
    app = create_app(wired)
    client = client_for(app)
    # The paths of the code harness know runs of code tasks alone, by whole ids.
    routes = [one for one in app.state.routes if one.path.startswith("/api/runs/{run_id}")]
    paths = [one.path for one in routes if "GET" in one.methods]
    assert len(paths) > 5
    for path in paths:
        if path.endswith("/export"):
            continue  # has the time of the export in it, and needs a key
        known = {"name": "letters", "item_id:path": "0", "item_id": "0"}
        for name, value in known.items():
            path = path.replace(f"{{{name}}}", value)  # noqa: PLW2901
        whole, short = (client.get(path.replace("{run_id}", one)) for one in (run.id, run.id[:8]))
        assert whole.status_code == 200, path
        assert (short.status_code, short.content) == (200, whole.content), path
