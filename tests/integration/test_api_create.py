"""Starting runs over HTTP: what is accepted, what is refused and why, and what it would cost."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.datasets.library import FileDataLibrary
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.api.endpoint_policy import EndpointPolicy
from assay.domain.benchmark import Benchmark
from assay.domain.errors import DataMissingError
from assay.domain.run import RunId, RunSpec
from assay.engine.execution.create import create_run
from assay.engine.execution.queue import Depth
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from assay.engine.planning.needs_setup import SETUP_CARDS
from assay.engine.planning.plan_cache import PlanCache
from assay.engine.ports import BenchmarkData
from assay.engine.stores import Stores
from tests.builders import CARD, LetterBenchmark, rewired
from tests.integration.serving import client_for, services
from tests.integration.test_api import RUN_FIELDS
from tests.stores import memory_stores

DEMO = {"data": "demo"}
ASKED: dict[str, Any] = {"model_id": "sim/good", "selected_benchmarks": ["letters"], "config": DEMO}


@pytest.fixture
def store() -> Stores:
    return memory_stores()


@pytest.fixture
def wired(store: Stores) -> ApiServices:
    return services(store)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


def problem_of(
    client: TestClient, body: dict[str, Any], status: int, path: str = "/api/runs"
) -> dict[str, Any]:
    # As ASCII: the client's own encoding refuses what a hostile caller may send.
    response = client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = response.json()
    return problem


async def test_a_run_is_created_as_the_contract_says(client: TestClient, wired: ApiServices) -> None:
    response = client.post("/api/runs", json=ASKED)
    assert response.status_code == 201
    run = response.json()
    assert run.keys() >= RUN_FIELDS
    assert (run["status"], run["model_slug"], run["provider"]) == ("queued", "sim/good", "sim")
    assert run["selected_benchmarks"] == ["letters"]
    assert response.headers["location"] == f"/api/runs/{run['id']}"
    assert client.get(response.headers["location"]).json()["id"] == run["id"]
    assert await wired.engine.queue.depth() == Depth(queued=1, running=0)
    [event] = await wired.stores.events.page(RunId(run["id"]))
    assert event.type == "run_created"


def test_everything_that_can_be_asked_is_kept(client: TestClient) -> None:
    body = {
        "models": ["sim/good", "sim/weak", "sim/good"],
        "benchmark_names": [" Letters ", "letters"],
        "subset_pct": 50,
        "subset_seed": "spring",
        "samples": 2,
        "priority": -3,
        "config": {
            "data": "demo",
            "temperature": 0.5,
            "top_p": 0.9,
            "max_tokens": 7,
            "reasoning_effort": "low",
            "max_connections": 4,
            "budget_tokens": 1000,
        },
    }
    run = client.post("/api/runs", json=body).json()
    assert run["models"] == ["sim/good", "sim/weak"]
    assert (run["subset_pct"], run["subset_seed"], run["samples"], run["priority"]) == (50, "spring", 2, -3)
    assert (run["max_connections"], run["budget_tokens"]) == (4, 1000)
    generation = run["evaluations"][0]["generation"]
    assert (generation["temperature"], generation["top_p"], generation["max_tokens"]) == (0.5, 0.9, 7)
    assert generation["reasoning_effort"] == "low"
    asked = {name: run["config"][name] for name in ("temperature", "top_p", "max_tokens", "reasoning_effort")}
    assert asked == {name: generation[name] for name in asked}
    assert run["config"]["judge"] is None
    assert run["evaluations"][0]["progress"] == {"completed": 0, "total": 4}


def test_an_own_agent_has_a_command_and_a_folder_that_the_operator_gave(
    wired: ApiServices, tmp_path: Path
) -> None:
    (tmp_path / "solver").mkdir()
    (tmp_path / "solver" / "run.py").write_text("print(1)")
    engine = rewired(wired.engine, catalogue=Catalogue.installed(), library=FileDataLibrary(tmp_path))
    client = client_for(create_app(replace(wired, engine=engine, agents=tmp_path)))
    agent = {"command": "python /agent/run.py", "folder": "solver", "max_calls": 5}
    body = ASKED | {"selected_benchmarks": ["swe_bench_pro"], "config": DEMO | {"agent": agent}}
    [evaluation] = client.post("/api/runs", json=body).json()["evaluations"]
    command, files, limits = evaluation["agent"].split("; ")
    assert (command, limits) == ("python /agent/run.py", "at most 5 calls")
    assert files.startswith("/agent sha256:")
    for wrong, said in (
        ({"folder": "nobody"}, "there is no agent 'nobody'"),
        ({"folder": "../solver"}, "pattern"),
        ({"folder": "/etc"}, "pattern"),
        ({"folder": ".."}, "pattern"),
        ({"command": ""}, "at least 1 character"),
        ({"max_usd": 1}, "the price of 'sim/good' is unknown"),
    ):
        refused = problem_of(client, body | {"config": DEMO | {"agent": agent | wrong}}, 422)
        assert said in json.dumps(refused), refused
    none = problem_of(client, body | {"selected_benchmarks": ["mmlu_pro"]}, 422)
    assert "leave `config.agent` out" in none["detail"]


def test_named_items_are_asked_alone(client: TestClient) -> None:
    body = ASKED | {"items": ["3", "1", "3"]}
    run = client.post("/api/runs", json=body).json()
    assert run["items"] == ["3", "1"]
    assert run["evaluations"][0]["progress"] == {"completed": 0, "total": 2}
    assert client.get(f"/api/runs/{run['id']}").json()["items"] == ["3", "1"]
    estimate = client.post("/api/runs/estimate", json=body).json()
    assert (estimate["items"], estimate["attempts"]) == (2, 2)
    nothing: list[str] = []
    whole = client.post("/api/runs", json=ASKED | {"items": nothing}).json()
    assert (whole["items"], whole["evaluations"][0]["progress"]["total"]) == ([], 4)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"items": ["1", "seven"]}, "no benchmark of the run has these items: 'seven'"),
        ({"items": ["seven"]}, "'letters' has none of the items that the run names: 'seven'"),
        ({"items": ["1"], "subset_pct": 50}, "named items or a subset of all, not both"),
        ({"items": ["1"], "subset_count": 1}, "named items or a subset of all, not both"),
    ],
)
@pytest.mark.parametrize("path", ["/api/runs", "/api/runs/estimate"])
def test_items_that_cannot_be_asked_are_refused(
    client: TestClient, change: dict[str, Any], said: str, path: str
) -> None:
    assert said in problem_of(client, ASKED | change, 422, path)["detail"]
    assert client.get("/api/runs").json()["total"] == 0


def test_without_names_every_benchmark_but_the_variants_is_run(wired: ApiServices) -> None:
    cards = {
        name: LetterBenchmark(card=replace(CARD, name=name)) for name in ("letters", "more", "letters:easy")
    }
    engine = rewired(wired.engine, catalogue=Catalogue(cards))
    client = client_for(create_app(replace(wired, engine=engine)))
    run = client.post("/api/runs", json={"model_id": "sim/good", "config": DEMO}).json()
    assert run["selected_benchmarks"] == ["letters", "more"]


@pytest.mark.parametrize(
    ("model", "provider", "meant"),
    [
        ("sim/good", "sim", "sim/good"),
        ("good", "sim", "sim/good"),
        ("meta-llama/Llama", "vllm", "vllm/meta-llama/Llama"),
        (" sim/good ", None, "sim/good"),
    ],
)
def test_the_provider_may_stand_apart(
    client: TestClient, model: str, provider: str | None, meant: str
) -> None:
    run = client.post("/api/runs", json=ASKED | {"model_id": model, "provider": provider}).json()
    assert run["models"] == [meant]


def test_a_provider_that_contradicts_the_model_is_refused(client: TestClient) -> None:
    body = ASKED | {"model_id": "openai/gpt-4o", "provider": "openrouter"}
    assert "openrouter/openai/gpt-4o" in problem_of(client, body, 400)["detail"]
    body = ASKED | {"model_id": "gpt-4o", "provider": "gremium-openai"}
    assert "known providers" in problem_of(client, body, 400)["detail"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"typo": 1}, "typo"),
        ({"config": {"tempreature": 0}}, "config.tempreature"),
        ({"config": {"data": "/etc/passwd"}}, "config.data"),
        ({"config": {"temperature": 3}}, "config.temperature"),
        ({"config": {"budget_usd": 0}}, "config.budget_usd"),
        ({"config": {"max_tokens": 2**70}}, "config.max_tokens"),
        ({"subset_pct": 0}, "subset_pct"),
        ({"subset_pct": 101}, "subset_pct"),
        ({"subset_pct": "50"}, "subset_pct"),
        ({"subset_pct": True}, "subset_pct"),
        ({"subset_count": 0}, "subset_count"),
        ({"subset_seed": "x" * 129}, "subset_seed"),
        ({"items": [""]}, "items.0"),
        ({"items": ["x" * 501]}, "items.0"),
        ({"items": [1]}, "items.0"),
        ({"items": "1"}, "items"),
        ({"items": ["1"] * 10_001}, "items"),
        ({"samples": 0}, "samples"),
        ({"selected_benchmarks": []}, "selected_benchmarks"),
        ({"models": []}, "models"),
        ({"model_id": "\ud800"}, "model_id"),
        ({"\ud800": 1}, "body"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_name(
    client: TestClient, change: dict[str, Any], field: str
) -> None:
    problem = problem_of(client, ASKED | change, 422)
    assert [one["field"] for one in problem["errors"]] == [field]


@pytest.mark.parametrize(
    "text", ['{"config": {"budget_usd": NaN}, "model_id": "sim/good"}', "[]", "null", ""]
)
def test_what_is_not_the_right_json_is_a_problem(client: TestClient, text: str) -> None:
    response = client.post("/api/runs", content=text, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["code"]) == (422, "invalid-request")


@pytest.mark.parametrize(
    "change",
    [
        {"model_id": None},
        {"models": ["sim/good"]},
        {"benchmark_names": ["letters"]},
    ],
)
def test_models_and_benchmarks_are_named_once(client: TestClient, change: dict[str, Any]) -> None:
    assert "give either" in problem_of(client, ASKED | change, 422)["detail"]


def test_every_unknown_benchmark_is_named_with_the_nearest(client: TestClient, store: Stores) -> None:
    problem = problem_of(
        client, ASKED | {"selected_benchmarks": ["leters", "letters", "nothing-like-it"]}, 422
    )
    assert [one["field"] for one in problem["errors"]] == ["selected_benchmarks.0", "selected_benchmarks.2"]
    assert "did you mean 'letters'" in problem["errors"][0]["message"]
    assert client.get("/api/runs").json()["total"] == 0


@pytest.mark.parametrize(
    "name", ["./capitals.py", "capitals.py:hard", "file:capitals", "t.yaml", "hf:org/name"]
)
def test_files_and_names_of_the_hub_are_for_the_command_line_alone(
    client: TestClient, store: Stores, name: str
) -> None:
    problem = problem_of(client, ASKED | {"selected_benchmarks": [name]}, 422)
    assert "no benchmark" in problem["errors"][0]["message"]
    assert client.get("/api/runs").json()["total"] == 0


@pytest.mark.parametrize("name", ["ifbench", "if_bench", "IF-Bench"])
def test_ifbench_is_not_taken_for_ifeval(client: TestClient, name: str) -> None:
    problem = problem_of(client, ASKED | {"selected_benchmarks": [name]}, 422)
    assert "'ifeval'" in problem["detail"]


@pytest.mark.parametrize("name", ["ifbench", "if_bench", "IF-Bench"])
def test_an_installed_ifbench_is_known_by_all_its_spellings(wired: ApiServices, name: str) -> None:
    catalogue = Catalogue({"ifbench": LetterBenchmark(card=replace(CARD, name="ifbench"))})
    client = client_for(create_app(replace(wired, engine=rewired(wired.engine, catalogue=catalogue))))
    run = client.post("/api/runs", json=ASKED | {"selected_benchmarks": [name]}).json()
    assert run["selected_benchmarks"] == ["ifbench"]


def test_other_tools_names_are_accepted_and_ours_are_shown(wired: ApiServices) -> None:
    catalogue = Catalogue({"tau2_telecom": LetterBenchmark(card=replace(CARD, name="tau2_telecom"))})
    client = client_for(create_app(replace(wired, engine=rewired(wired.engine, catalogue=catalogue))))
    asked = ASKED | {"selected_benchmarks": ["tau_bench_telecom", "tau2_telecom"]}
    run = client.post("/api/runs", json=asked).json()
    assert run["selected_benchmarks"] == ["tau2_telecom"]
    alias = "Tau_Bench_Telecom"
    assert client.get("/api/runs", params={"benchmark": alias}).json()["total"] == 1
    found = client.get(f"/api/runs/{run['id']}/benchmarks/{alias}").json()
    assert found["benchmark"]["benchmark_name"] == "tau2_telecom"
    board = client.get("/api/leaderboard", params={"benchmark": alias}).json()
    assert board["benchmark"] == "tau2_telecom"
    [card] = client.get("/api/benchmarks").json()["benchmarks"]
    assert card["aliases"] == ["tau_bench_telecom"]


def test_a_benchmark_that_needs_setup_is_listed_and_refused(wired: ApiServices) -> None:
    catalogue = Catalogue({"letters": LetterBenchmark()}, needs_setup=SETUP_CARDS)
    client = client_for(create_app(replace(wired, engine=rewired(wired.engine, catalogue=catalogue))))
    listed = {one["name"]: one["needs_setup"] for one in client.get("/api/benchmarks").json()["benchmarks"]}
    assert listed == {"letters": False, **dict.fromkeys(SETUP_CARDS, True)}
    problem = problem_of(client, ASKED | {"selected_benchmarks": ["letters", "critpt"]}, 422)
    [error] = problem["errors"]
    assert error["field"] == "selected_benchmarks.1"
    assert "'critpt' needs setup" in error["message"]
    assert "install a package" in error["message"]
    assert client.get("/api/runs").json()["total"] == 0
    every = client.post("/api/runs", json={name: ASKED[name] for name in ASKED if "benchmark" not in name})
    assert every.json()["selected_benchmarks"] == ["letters"]


@pytest.mark.parametrize("model", ["nobody/model", "sim/nobody"])
def test_an_unknown_model_is_404(client: TestClient, model: str) -> None:
    problem = problem_of(client, ASKED | {"model_id": model}, 404)
    assert problem["code"] == "unknown-name"


def test_a_budget_in_usd_needs_a_price(client: TestClient) -> None:
    problem = problem_of(client, ASKED | {"config": DEMO | {"budget_usd": 1}}, 422)
    assert "price of 'sim/good' is unknown" in problem["detail"]


def test_maintenance_refuses_new_runs_with_its_message(store: Stores) -> None:
    client = client_for(create_app(services(store, maintenance="back at noon")))
    problem = problem_of(client, ASKED, 503)
    assert (problem["code"], problem["detail"]) == ("maintenance", "back at noon")


def test_the_same_key_and_body_give_the_same_run(client: TestClient) -> None:
    headers = {"Idempotency-Key": "k1"}
    first = client.post("/api/runs", json=ASKED, headers=headers)
    again = client.post("/api/runs", json=ASKED | {"priority": 0}, headers=headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json()["id"] == first.json()["id"]
    other = client.post("/api/runs", json=ASKED | {"samples": 2}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    assert (
        client.post("/api/runs", json=ASKED, headers={"Idempotency-Key": "k2"}).json()["id"]
        != first.json()["id"]
    )
    assert client.get("/api/runs").json()["total"] == 2


@pytest.mark.parametrize("model", ["openai/gpt-5", "openai-api/lab/x", "sim/good"])
def test_another_address_is_refused_where_a_key_could_be_sent_to_it(wired: ApiServices, model: str) -> None:
    policy = EndpointPolicy(keyless=frozenset({"vllm"}))
    directory_of_lab = replace(wired, endpoints=policy)
    body = ASKED | {"model_id": model, "config": DEMO | {"base_url": "http://127.0.0.1:9/v1"}}
    response = client_for(create_app(directory_of_lab)).post("/api/runs", json=body)
    assert response.status_code == 422
    assert "key" in response.json()["detail"] or "has no endpoint" in response.json()["detail"]


def test_another_address_must_be_on_the_list(wired: ApiServices) -> None:
    client = client_for(create_app(replace(wired, endpoints=EndpointPolicy(keyless=frozenset({"vllm"})))))
    body = ASKED | {"model_id": "vllm/m", "config": DEMO | {"base_url": "http://169.254.169.254/v1"}}
    assert "ASSAY_ALLOWED_ENDPOINTS" in problem_of(client, body, 422)["detail"]
    body["config"] = DEMO | {"base_url": "http://127.0.0.1:9/v1"}
    assert client.post("/api/runs", json=body).status_code == 201


def test_the_estimate_starts_nothing(client: TestClient) -> None:
    body = ASKED | {"model_id": None, "models": ["sim/good", "sim/weak"], "samples": 3, "subset_count": 2}
    response = client.post("/api/runs/estimate", json=body)
    assert response.status_code == 200
    found = response.json()
    assert (found["items"], found["attempts"]) == (4, 12)
    assert 0 < found["input_tokens"]["low"] <= found["input_tokens"]["high"]
    assert found["output_tokens"] == {"low": 12, "high": 48}
    assert found["cost_usd"] is None, "an unknown price is unknown, never 0"
    assert [one["model"] for one in found["evaluations"]] == ["sim/good", "sim/weak"]
    assert client.get("/api/runs").json()["total"] == 0
    assert problem_of(client, ASKED | {"typo": 1}, 422, "/api/runs/estimate")["errors"][0]["field"] == "typo"


async def test_an_evaluation_whose_data_is_not_on_the_worker_needs_setup() -> None:
    class NoData:
        """The library of a worker on another machine."""

        def open(self, benchmark: Benchmark, where: str) -> BenchmarkData:
            raise DataMissingError(f"{where!r} data of {benchmark.card.name!r} is not on this machine")

    wired = services(memory_stores())
    run = await create_run(wired.engine, RunSpec(("sim/good",), ("letters",), data="demo"))
    elsewhere = rewired(wired.engine, library=NoData())
    elsewhere = replace(elsewhere, planner=replace(elsewhere.planner, cache=PlanCache()))
    await execute_run(elsewhere, run.id)
    shown = client_for(create_app(wired)).get(f"/api/runs/{run.id}").json()
    [evaluation] = shown["benchmarks"]
    assert (shown["status"], evaluation["status"]) == ("failed", "needs_setup")
    assert evaluation["error_message"].startswith("needs setup: 'demo' data of 'letters'")


async def test_why_a_run_failed_is_told_in_terms_of_the_api() -> None:
    wired = services(memory_stores())
    run = await create_run(wired.engine, RunSpec(("sim/judge",), ("letters",), data="demo"))
    await execute_run(wired.engine, run.id)
    client = client_for(create_app(wired))
    for path in ("/api/runs", f"/api/runs/{run.id}", f"/api/runs/{run.id}/events", "/api/ops/overview"):
        shown = client.get(path).text
        assert ("name it with `config.judge`" in shown, "--judge" in shown) == (True, False), path


def test_what_is_sent_besides_is_stored_with_the_run_and_each_evaluation(client: TestClient) -> None:
    sent = {
        "system": "Be brief.",
        "stop": ["###"],
        "model_seed": 7,
        "options": {"top_k": 40, "provider": {"sort": "price"}},
        "timeout_s": 20.0,
        "retries": 0,
        "logprobs": True,
    }
    run = client.post("/api/runs", json=ASKED | {"config": DEMO | sent}).json()
    assert {name: run["config"][name] for name in sent} == sent
    generation = run["evaluations"][0]["generation"]
    assert {name: generation["seed" if name == "model_seed" else name] for name in sent} == sent
    plain = client.post("/api/runs", json=ASKED).json()
    assert plain["evaluations"][0]["fingerprint"] != run["evaluations"][0]["fingerprint"]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"options": {"stream": False}}, "option 'stream' is set by Assay in every request"),
        ({"few_shot": 3}, "'letters' shows no examples"),
        ({"base_urls": {"sim/weak": "http://127.0.0.1:1/v1"}}, "'sim/weak' is no model of this run"),
        ({"base_urls": {"sim/good": "http://elsewhere.example/v1"}}, "base_url"),
        ({"headers": {"X-Key": "1"}}, "headers"),
    ],
)
def test_what_cannot_be_sent_is_refused(client: TestClient, config: dict[str, Any], said: str) -> None:
    refused = client.post("/api/runs", json=ASKED | {"config": DEMO | config})
    assert refused.status_code in {400, 422}
    assert said in refused.text
