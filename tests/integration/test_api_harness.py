"""The HTTP API of the code harness."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from assay.api.access.key_throttle import MAX_FAILURES
from assay.api.app import create_app
from assay.api.harness.run_spec import chosen_tasks
from assay.api.schemas.harness import HarnessRunRequest
from assay.domain.benchmark import Environment
from assay.domain.errors import DataMissingError
from assay.domain.outcome import Outcome
from assay.domain.programs.toolchain import Toolchain
from assay.domain.run import RunId, RunSpec, State
from assay.domain.stats import plural
from assay.engine.execution import control
from assay.engine.execution.create import Caller, create_run
from tests.integration.harness import ALL, Harness
from tests.integration.serving import client_for
from tests.stores import memory_stores

TOKEN = "canary-benchmark-token"  # noqa: S105 - a test value

EVERY_OPTION = (
    "include-tests+incomplete-diffs+rewrite-fallback+thinking=budget_tokens=2048+provider=deepinfra"
)


@pytest.fixture
def harness(tmp_path: Path) -> Harness:
    return Harness(memory_stores(), tmp_path)


@pytest.fixture
def client(harness: Harness) -> TestClient:
    return client_for(create_app(harness.services))


def started(client: TestClient, **changes: Any) -> str:
    response = client.post("/runs", json={"models": ["sim/good"]} | changes)
    assert response.status_code == 200, response.text
    assert response.json().pop("left_out") == {}
    run_id: str = response.json()["run_id"]
    return run_id


def ended(client: TestClient, harness: Harness, **changes: Any) -> str:
    run_id = started(client, **changes)
    harness.execute(run_id)
    return run_id


def summary(client: TestClient, run_id: str) -> Any:
    return client.get(f"/runs/{run_id}").json()["summary"]


def retried(run_id: str, attempts: int) -> dict[str, Any]:
    return {
        "retry_run_id": run_id,
        "original_run_id": run_id,
        "api_errors_found": attempts,
        "message": f"{plural(attempts, 'attempt')} without a verdict will be made again",
    }


def resumed(run_id: str, attempts: int) -> dict[str, Any]:
    message = f"{plural(attempts, 'attempt')} will be made"
    return {"run_id": run_id, "incomplete_count": attempts, "message": message}


def refusal(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["code"]


def test_a_run_is_started_shown_and_listed(client: TestClient, harness: Harness) -> None:
    run_id = ended(client, harness, models=["sim/good", "sim/weak"], tasks=["1", "0"], samples=2)
    found = summary(client, run_id)
    assert (found["run_id"], found["status"], found["samples"]) == (run_id, "succeeded", 2)
    assert found["tasks"] == ["0", "1"]
    assert (found["temperature"], found["max_tokens"]) == (0.0, 16)
    assert len(found["attempts"]) == 8
    assert found["status_counts"] == {"passed": 8, "failed": 0, "error": 0, "api_error": 0}
    newer = started(client)
    [first, second] = client.get("/runs").json()["runs"]
    assert (first["run_id"], first["accuracy"], first["status"]) == (newer, None, "queued")
    assert second.keys() >= {"timestamp_utc", "total_cost_usd", "total_duration_seconds"}
    assert (second["run_id"], second["model_id"], second["accuracy"]) == (run_id, "sim/good,sim/weak", 1.0)
    assert len(client.get("/runs?limit=1").json()["runs"]) == 1
    assert client.get("/runs?limit=0").status_code == 422


def test_packages_are_accepted_and_not_installed(client: TestClient) -> None:
    assert summary(client, started(client, install_deps=True))["install_deps"] is False


def test_runs_of_other_benchmarks_are_not_part_of_the_harness(client: TestClient, harness: Harness) -> None:
    spec = RunSpec(("test/scripted",), ("letters",), data="demo")
    other = asyncio.run(create_run(harness.services.engine, spec)).id
    assert client.get("/runs").json() == {"runs": []}
    for method, path in (
        ("GET", ""),
        ("GET", "/api-errors"),
        ("GET", "/incomplete"),
        ("POST", "/retry-api-errors"),
        ("POST", "/resume"),
    ):
        assert refusal(client.request(method, f"/runs/{other}{path}")) == (404, "unknown-name")
    assert client.get(f"/artifacts/{other}/summary.json").status_code == 404


@pytest.mark.parametrize(
    ("request_fields", "benchmarks"),
    [
        ({}, ("code_catalogue",)),
        (
            {
                "include_tests": True,
                "allow_incomplete_diffs": True,
                "allow_diff_rewrite_fallback": True,
                "provider": "deepinfra",
                "thinking_level": "budget_tokens=2048",
            },
            (f"code_catalogue:{EVERY_OPTION}",),
        ),
        (
            {"include_thinking_variants": True, "thinking_level": "high"},
            ("code_catalogue", "code_catalogue:thinking=high"),
        ),
        (
            {"sweep_thinking_levels": True},
            ("code_catalogue", *(f"code_catalogue:thinking={one}" for one in ("low", "medium", "high"))),
        ),
    ],
)
async def test_options_are_variants_of_the_benchmark(
    client: TestClient, harness: Harness, request_fields: dict[str, Any], benchmarks: tuple[str, ...]
) -> None:
    run_id = await asyncio.to_thread(started, client, **request_fields)
    assert (await harness.store.runs.get(run_id)).spec.benchmarks == benchmarks


def test_what_makes_no_sense_is_a_bad_request(client: TestClient) -> None:
    for changes, code in (
        ({"models": ["sim/good; rm"]}, "bad-id"),
        ({"models": ["sim/<script>"]}, "bad-id"),
        ({"tasks": ["../../etc/passwd"]}, "bad-id"),
        ({"tasks": ["no_such_task"]}, "invalid-value"),
        ({"thinking_level": "budget_seconds=5"}, "invalid-value"),
        ({"thinking_level": "very high"}, "invalid-value"),
        ({"provider": "a b"}, "invalid-value"),
        ({"response_text": "a"}, "invalid-value"),
    ):
        response = client.post("/runs", json={"models": ["sim/good"]} | changes)
        assert refusal(response) == (400, code), changes
        if code == "bad-id":
            assert not any(text in response.json()["detail"] for text in ("rm", "script", "passwd"))
    assert client.get("/runs").json() == {"runs": []}


def test_a_request_of_another_shape_is_unprocessable(client: TestClient) -> None:
    assert refusal(client.post("/runs", json={})) == (422, "invalid-request")
    shapes: list[dict[str, Any]] = [
        {"models": []},
        {"models": "sim/good"},
        {"samples": 0},
        {"samples": 11},
        {"samples": "1"},
        {"temperature": 2.1},
        {"tasks": []},
        {"unknown": 1},
    ]
    for changes in shapes:
        response = client.post("/runs", json={"models": ["sim/good"]} | changes)
        assert refusal(response) == (422, "invalid-request"), changes


def test_an_unknown_model_is_a_bad_request(harness: Harness) -> None:
    known = replace(
        harness.services, engine=replace(harness.services.engine, models=harness.services.directory)
    )
    response = client_for(create_app(known)).post("/runs", json={"models": ["nobody/model"]})
    assert refusal(response) == (400, "unknown-name")


def test_ids_of_another_form_are_not_looked_up(client: TestClient) -> None:
    for run_id in ("a..b", "a%20b", "a%00b", "%2e%2e", "x" * 101):
        assert refusal(client.get(f"/runs/{run_id}/incomplete")) == (400, "bad-id"), run_id
    assert client.get("/runs/nobody/api-errors").status_code == 404


def test_only_errors_are_asked_again_and_in_the_same_run(client: TestClient, harness: Harness) -> None:
    harness.silent_about |= {"a", "c"}
    run_id = ended(client, harness)
    errors = client.get(f"/runs/{run_id}/api-errors").json()
    assert (errors["run_id"], errors["api_error_count"]) == (run_id, 2)
    assert [one["task_id"] for one in errors["api_errors"]] == ["0", "2"]
    assert errors["api_errors"][0] | {"error": ""} == {
        "task_id": "0",
        "model": "sim/good",
        "sample_index": 0,
        "thinking_level": "base",
        "error": "",
        "error_type": "timeout",
        "is_transient": True,
    }
    harness.silent_about.clear()
    asked = len(harness.model.requests)
    response = client.post(f"/runs/{run_id}/retry-api-errors")
    assert (response.status_code, response.json()) == (200, retried(run_id, 2))
    assert refusal(client.post(f"/runs/{run_id}/retry-api-errors")) == (409, "illegal-transition")
    harness.execute(run_id)
    assert len(harness.model.requests) == asked + 2
    assert summary(client, run_id)["status_counts"] | {"passed": 0} == dict.fromkeys(
        ("passed", "failed", "error", "api_error"), 0
    )
    assert refusal(client.post(f"/runs/{run_id}/retry-api-errors")) == (400, "invalid-value")
    assert [one["run_id"] for one in client.get("/runs").json()["runs"]] == [run_id]


def test_a_single_error_is_asked_again_and_no_verdict_is(client: TestClient, harness: Harness) -> None:
    harness.silent_about |= {"a", "c"}
    run_id = ended(client, harness)
    retry = f"/runs/{run_id}/retry-single"
    harness.silent_about.clear()
    refused = client.post(retry, json={"task_id": "1"})
    assert refusal(refused) == (400, "invalid-value")
    assert "has a verdict: it is not made again" in refused.json()["detail"]
    assert refusal(client.post(retry, json={"task_id": "1/.."})) == (400, "bad-id")
    for unknown in ({"task_id": "7"}, {"task_id": "0", "sample_index": 1}):
        assert refusal(client.post(retry, json=unknown)) == (400, "unknown-name")
    assert refusal(client.post(retry, json={"task_id": "0", "model": "x/y"})) == (400, "which-evaluation")
    assert refusal(client.post(retry, json={})) == (422, "invalid-request")
    asked = len(harness.model.requests)
    again = client.post(retry, json={"task_id": "2", "model": "sim/good", "sample_index": 0})
    assert (again.status_code, again.json()) == (200, retried(run_id, 1))
    harness.execute(run_id)
    assert len(harness.model.requests) == asked + 1
    assert [one["task_id"] for one in client.get(f"/runs/{run_id}/api-errors").json()["api_errors"]] == ["0"]


def test_a_retry_must_say_which_level_is_meant(client: TestClient, harness: Harness) -> None:
    harness.silent_about |= {"a"}
    run_id = ended(client, harness, sweep_thinking_levels=True)
    retry = f"/runs/{run_id}/retry-single"
    assert refusal(client.post(retry, json={"task_id": "0"})) == (400, "which-evaluation")
    body = {"task_id": "0", "thinking_level": "high"}
    assert client.post(retry, json=body).status_code == 200


def test_a_stopped_run_is_resumed_with_what_it_has_not_done(client: TestClient, harness: Harness) -> None:
    run_id = started(client)
    resume = f"/runs/{run_id}/resume"
    missing = client.get(f"/runs/{run_id}/incomplete").json()
    assert (missing["run_id"], missing["incomplete_count"]) == (run_id, 4)
    assert [one["task_id"] for one in missing["incomplete_attempts"]] == list(ALL)
    assert refusal(client.post(resume)) == (409, "illegal-transition")
    asyncio.run(control.pause(harness.services.engine.lifecycle, RunId(run_id)))
    assert client.post(resume).json() == resumed(run_id, 4)
    asyncio.run(control.cancel(harness.services.engine.lifecycle, RunId(run_id)))
    assert client.post(resume).json() == resumed(run_id, 4)
    harness.execute(run_id)
    assert client.get(f"/runs/{run_id}/incomplete").json()["incomplete_count"] == 0
    assert refusal(client.post(resume)) == (400, "nothing-to-do")


def test_a_run_whose_process_is_gone_is_resumed(client: TestClient, harness: Harness) -> None:
    run_id = started(client)
    lost = harness.services.engine.lifecycle.withdraw_shards(RunId(run_id))
    asyncio.run(lost)
    assert client.post(f"/runs/{run_id}/resume").json() == resumed(run_id, 4)
    harness.execute(run_id)
    assert summary(client, run_id)["status_counts"]["passed"] == 4


def test_only_equal_runs_are_ranked_together(client: TestClient, harness: Harness) -> None:
    assert client.get("/leaderboard").json() == {"models": [], "board": None, "boards": []}
    part = ended(client, harness, tasks=["0"])
    harness.silent_about |= {"d"}
    whole = ended(client, harness, models=["test/other"])
    board = client.get("/leaderboard").json()
    [row] = board["models"]
    assert (row["model_id"], row["best_run_id"], row["runs"], row["api_errors"]) == (
        "test/other",
        whole,
        1,
        1,
    )
    assert (row["thinking_level"], row["best_accuracy"]) == ("base", 1.0)
    assert [(one["tasks"], one["is_whole"]) for one in board["boards"]] == [(4, True), (1, False)]
    other = client.get("/leaderboard", params={"board": board["boards"][1]["key"]}).json()
    assert [one["best_run_id"] for one in other["models"]] == [part]
    assert refusal(client.get("/leaderboard?board=nothing")) == (404, "unknown-name")


def test_a_row_is_removed_with_its_runs(client: TestClient, harness: Harness) -> None:
    runs = [ended(client, harness, models=["test/vendor/model"]) for _ in range(2)]
    kept = ended(client, harness, models=["test/other"])
    row = "/leaderboard/test/vendor/model"
    nothing = client.delete(row, params={"thinking_level": "high"}).json()
    assert (nothing["removed_runs"], nothing["status"]) == (0, "already_missing")
    assert client.delete(row).json() == {
        "model_id": "test/vendor/model",
        "thinking_level": "base",
        "removed_runs": 2,
        "status": "removed",
    }
    assert client.delete(row).json()["status"] == "already_missing"
    assert [one["model_id"] for one in client.get("/leaderboard").json()["models"]] == ["test/other"]
    assert [client.get(f"/runs/{one}").status_code for one in (*runs, kept)] == [404, 404, 200]
    assert refusal(client.delete("/leaderboard/a b")) == (400, "bad-id")


def test_a_run_with_other_results_is_not_removed_with_a_row(client: TestClient, harness: Harness) -> None:
    ended(client, harness, models=["test/one", "test/two"])
    refused = client.delete("/leaderboard/test/one")
    assert refusal(refused) == (409, "conflict")
    assert "test/two" in refused.json()["detail"]
    assert len(client.get("/leaderboard").json()["models"]) == 2


def test_what_belongs_to_others_is_neither_removed_nor_continued(
    client: TestClient, harness: Harness
) -> None:
    harness.silent_about |= {"a"}
    engine = harness.services.engine
    spec = RunSpec(("test/one",), ("code_catalogue",))
    run_id = asyncio.run(create_run(engine, spec, Caller(owner="somebody"))).id
    harness.execute(run_id)
    for method, path, body in (
        ("DELETE", "/leaderboard/test/one", None),
        ("POST", f"/runs/{run_id}/retry-api-errors", None),
        ("POST", f"/runs/{run_id}/retry-single", {"task_id": "0"}),
        ("POST", f"/runs/{run_id}/resume", None),
    ):
        assert refusal(client.request(method, path, json=body)) == (403, "not-the-owner"), path
    assert client.get(f"/runs/{run_id}").status_code == 200


def test_files_are_made_from_what_is_stored(client: TestClient, harness: Harness) -> None:
    harness.silent_about |= {"b"}
    run_id = ended(client, harness)
    found = summary(client, run_id)
    whole = client.get(f"/artifacts/{run_id}/summary.json")
    assert (whole.headers["content-type"], whole.json()) == ("application/json", found)
    assert client.get(f"/artifacts/{found['run_dir']}/attempts.json").json() == found["attempts"]
    assert client.get(f"/artifacts/{run_id}/manifest.json").json() == found["attempt_manifest"]
    folders: Mapping[str, str] = {one["task_id"]: one["attempt_dir"] for one in found["attempts"]}
    prompt = client.get(f"/artifacts/{run_id}/{folders['0']}/prompt.txt")
    assert (prompt.headers["content-type"], "Say a." in prompt.text) == ("text/plain; charset=utf-8", True)
    assert prompt.headers["x-content-type-options"] == "nosniff"
    assert client.get(f"/artifacts/{run_id}/{folders['0']}/response.txt").text == "a"
    assert client.get(f"/artifacts/{run_id}/{folders['0']}/response.json").json()["answer"] == "a"
    assert "no byte" in client.get(f"/artifacts/{run_id}/{folders['1']}/error.log").text
    missing = ("nothing.txt", f"{folders['0']}/nothing.txt", f"{folders['1']}/response.txt", "x/prompt.txt")
    for path in missing:
        assert refusal(client.get(f"/artifacts/{run_id}/{path}")) == (404, "unknown-name"), path
    for path in ("%2e%2e/secret", f"{folders['0']}/%2e%2e%2f%2e%2e%2fetc", "a//b", ".env", "a%00b", "<a>"):
        assert refusal(client.get(f"/artifacts/{run_id}/{path}")) == (400, "bad-id"), path
    elsewhere = found["run_dir"].replace("run_2", "run_1")
    assert client.get(f"/artifacts/{elsewhere}/summary.json").status_code == 404


def test_pages_of_the_harness_lead_to_ours(client: TestClient) -> None:
    for path, target in (
        ("/ui/index.html", "/ui/"),
        ("/ui/run.html?run_id=run_2-a", "/ui/runs/run_2-a"),
        ("/ui/run.html?run_id=//evil.example", "/ui/"),
        ("/ui/run.html", "/ui/"),
    ):
        response = client.get(path, follow_redirects=False)
        assert (response.status_code, response.headers["location"]) == (307, target)


def test_changes_need_the_token_where_one_is_set(harness: Harness) -> None:
    client = client_for(create_app(replace(harness.services, benchmark_token=TOKEN)))
    own = {"Authorization": f"Bearer {TOKEN}"}
    body = {"models": ["test/one"]}
    for header in (None, TOKEN, f"bearer {TOKEN}", f"Bearer {TOKEN}x", "Bearer ", f"Basic {TOKEN}"):
        headers = {"Authorization": header} if header else {}
        response = client.post("/runs", json=body, headers=headers)
        assert refusal(response) == (401, "benchmark-token-needed"), header
        assert TOKEN not in response.text
    run_id = client.post("/runs", json=body, headers=own).json()["run_id"]
    for method, path, data in (
        ("POST", f"/runs/{run_id}/retry-api-errors", None),
        ("POST", f"/runs/{run_id}/retry-single", {"task_id": "0"}),
        ("POST", f"/runs/{run_id}/resume", None),
        ("POST", "/models/lmstudio/switch", {"model_id": "lmstudio/a"}),
        ("DELETE", "/leaderboard/test/one", None),
    ):
        assert refusal(client.request(method, path, json=data))[1] == "benchmark-token-needed", path
        assert refusal(client.request(method, path, json=data, headers=own))[1] != "benchmark-token-needed"
    for path in (f"/runs/{run_id}", "/runs", "/leaderboard", f"/runs/{run_id}/incomplete", "/health"):
        assert client.get(path).status_code == 200


async def test_the_token_is_no_key_for_models(harness: Harness) -> None:
    app = create_app(replace(harness.services, benchmark_token=TOKEN))
    own = {"Authorization": f"Bearer {TOKEN}"}
    body = {"models": ["openrouter/vendor/model"]}
    response = await asyncio.to_thread(client_for(app).post, "/runs", json=body, headers=own)
    run = await harness.store.runs.get(response.json()["run_id"])
    assert (run.owner, run.spec.credential) == (None, None)


def test_wrong_tokens_are_slowed_down(harness: Harness) -> None:
    client = client_for(create_app(replace(harness.services, benchmark_token=TOKEN)))
    body = {"models": ["test/one"]}
    for number in range(MAX_FAILURES):
        wrong = {"Authorization": f"Bearer wrong-{number}"}
        assert client.post("/runs", json=body, headers=wrong).status_code == 401
    refused = client.post("/runs", json=body, headers={"Authorization": "Bearer wrong-last"})
    assert refusal(refused) == (429, "too-many-wrong-keys")
    assert int(refused.headers["retry-after"]) > 0


def test_nobody_is_answered_where_callers_must_identify_themselves(harness: Harness) -> None:
    client = client_for(create_app(replace(harness.services, needs_identity=True)))
    for method, path in (
        ("GET", "/runs/x"),
        ("POST", "/runs"),
        ("DELETE", "/leaderboard/a"),
        ("GET", "/models/capabilities?model_id=a"),
        ("GET", "/models/lmstudio"),
        ("GET", "/artifacts/x/summary.json"),
    ):
        assert refusal(client.request(method, path)) == (401, "sign-in-needed"), path
    assert client.get("/health").json() == {"status": "ok"}


def test_no_run_is_started_during_maintenance(client: TestClient, harness: Harness) -> None:
    harness.services.maintenance.is_on = True
    assert refusal(client.post("/runs", json={"models": ["sim/good"]})) == (503, "maintenance")


def test_a_failed_run_keeps_its_state_in_the_summary(client: TestClient, harness: Harness) -> None:
    harness.silent_about |= {"a", "b", "c", "d"}
    run_id = ended(client, harness)
    assert summary(client, run_id)["status"] == State.FAILED.value
    assert summary(client, run_id)["status_counts"]["api_error"] == 4
    assert client.get("/leaderboard").json()["models"] == []
    assert (
        Outcome.TIMEOUT.value
        == client.get(f"/runs/{run_id}/api-errors").json()["api_errors"][0]["error_type"]
    )


def test_the_tasks_are_listed_with_what_keeps_them_from_being_tested(
    client: TestClient, harness: Harness
) -> None:
    tasks = client.get("/api/code/tasks").json()["tasks"]
    assert {one["language"] for one in tasks} >= {"python", "javascript"}
    assert all(one["tests"] > 0 and one["available"] and one["reason"] is None for one in tasks)
    grading = replace(harness.services.engine.grading, prepared=NoToolchains())
    without = replace(harness.services, engine=replace(harness.services.engine, grading=grading))
    by_language = {
        one["language"]: (one["available"], one["reason"])
        for one in client_for(create_app(without)).get("/api/code/tasks").json()["tasks"]
    }
    assert by_language["python"] == (True, None)
    assert by_language["javascript"] == (False, "no node on this machine")


async def test_tasks_that_cannot_be_tested_are_left_out_where_none_is_named(harness: Harness) -> None:
    grading = replace(harness.services.engine.grading, prepared=NoToolchains())
    made = replace(harness.services, engine=replace(harness.services.engine, grading=grading))
    without = replace(made, executor=cast("Any", object()))
    request = HarnessRunRequest(models=["sim/good"])
    caches = create_app(without).state.caches
    tasks, left_out = await chosen_tasks(request, without, caches)
    assert {one.partition("_")[0] for one in tasks} == {"python"}
    assert left_out["go_expert_lru_cache"] == "no go on this machine"
    assert len(tasks) + len(left_out) == 31
    # Other processes execute the runs of this one.
    assert await chosen_tasks(request, made, caches) == ((), {})
    named = HarnessRunRequest(models=["sim/good"], tasks=["go_expert_lru_cache"])
    assert await chosen_tasks(named, without, caches) == (("go_expert_lru_cache",), {})


class NoToolchains:
    def python(self, benchmark: str, environment: Environment) -> str:
        raise NotImplementedError

    def file(self, benchmark: str, name: str) -> Path | None:
        raise NotImplementedError

    def toolchain(self, name: str, *, is_primed: bool = False) -> Toolchain:
        _ = is_primed
        raise DataMissingError(f"no {name} on this machine")


def test_a_run_is_a_table_of_tasks_and_models(client: TestClient, harness: Harness) -> None:
    harness.silent_about = {"b"}
    run_id = ended(client, harness, tasks=["1", "0"], samples=2, sweep_thinking_levels=True, provider="me")
    found = client.get(f"/api/code/runs/{run_id}").json()
    assert [one["level"] for one in found["columns"]] == ["base", "low", "medium", "high"]
    assert {one["model"] for one in found["columns"]} == {"sim/good"}
    assert found["columns"][1]["benchmark"] == "code_catalogue:thinking=low+provider=me"
    assert found["columns"][1]["options"] == ["provider=me"]
    assert [one["id"] for one in found["tasks"]] == ["0", "1"]
    assert [one["statuses"] for one in found["tasks"]] == [
        [["passed", "passed"]] * 4,
        [["api_error", "api_error"]] * 4,
    ]
    waiting = client.get(f"/api/code/runs/{started(client, tasks=['0'])}").json()
    assert waiting["tasks"][0]["statuses"] == [[None]]
    assert client.get("/api/code/runs/none").status_code == 404
