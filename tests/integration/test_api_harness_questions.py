"""The harness for Expert QA: a run is started, watched, shown, repeated and ranked below `/qa`."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from fastapi.testclient import TestClient

from assay.adapters.datasets.library import FileDataLibrary
from assay.api.app import create_app
from assay.api.dependencies import ApiServices, ExpertQaDefaults
from assay.benchmarks.expert_qa.task import benchmark
from assay.domain.calls.messages import Completion
from assay.domain.errors import AssayError, CallTimeoutError
from assay.domain.run import RunId
from assay.engine.clock import SystemClock
from assay.engine.execution.run_loop import execute_run
from assay.engine.models.retry import RetryPolicy
from assay.engine.planning.catalogue import Catalogue
from assay.engine.ports import Request
from tests.builders import ScriptedModel, World, rewired, right
from tests.integration.dataset_service import working
from tests.integration.harness import LetterTasks
from tests.integration.serving import client_for, served, services
from tests.stores import memory_stores

ATTEMPT = {
    "question_number", "model", "provider", "sample_index", "status", "error", "error_type", "is_transient",
    "thinking_level_requested", "thinking_level_supported", "thinking_level_applied", "usage",
    "api_latency_seconds", "duration_seconds", "cost_usd", "model_answer", "expected_answer",
    "judge_decision", "judge_rationale", "judge_cost_usd",
}  # fmt: skip
JUDGE = "sim/judge"


class Questions:
    """Two questions; the model is silent about some answers and wrong about others."""

    def __init__(self, folder: Path) -> None:
        path = folder / "questions.jsonl"
        rows = [{"number": 7, "question": "How many?", "answer": "12"}, {"question": "Who?", "answer": "Ada"}]
        path.write_text("\n".join(map(json.dumps, rows)))
        self.silent_about: set[str] = set()
        self.wrong_about: set[str] = set()
        self.model = ScriptedModel(self._reply)
        made = services(memory_stores())
        engine = rewired(
            World(store=made.stores, model=self.model).engine,
            catalogue=Catalogue({"expert_qa": benchmark, "code_catalogue": LetterTasks()}),
            library=FileDataLibrary(folder),
            clock=SystemClock(),
            retries=RetryPolicy(doubtful_tries=1),
        )
        self.services: ApiServices = replace(
            made, engine=engine, expert_qa=ExpertQaDefaults(JUDGE, str(path))
        )

    def _reply(self, request: Request, number: int) -> Completion | AssayError:
        cue = request.cue()
        if cue.right in self.silent_about:
            return CallTimeoutError("no byte for 30 s")
        is_against = cue.judged is not None and cue.judged[0] != cue.judged[1]
        if is_against or cue.right in self.wrong_about:
            return Completion(cue.wrong or "")
        return right(request, number)

    async def executed(self, run_id: str) -> None:
        await execute_run(self.services.engine, RunId(run_id))


@pytest.fixture
def questions(tmp_path: Path) -> Questions:
    return Questions(tmp_path)


@pytest.fixture
def client(questions: Questions) -> TestClient:
    return client_for(create_app(questions.services))


def started(client: TestClient, **changes: Any) -> str:
    response = client.post("/qa/runs", json={"models": ["sim/good"]} | changes)
    assert response.status_code == 200, response.text
    run_id: str = response.json()["run_id"]
    return run_id


async def test_answers_are_shown_with_the_judges_decision(client: TestClient, questions: Questions) -> None:
    questions.wrong_about |= {"Ada"}
    run_id = started(client, samples=2)
    await questions.executed(run_id)
    summary = client.get(f"/qa/runs/{run_id}").json()["summary"]
    assert (summary["questions"], summary["question_count"], summary["samples"]) == ([7, 2], 2, 2)
    assert summary["temperature"] == 0.0
    assert summary["status_counts"] == {"passed": 2, "failed": 2, "error": 0, "api_error": 0}
    assert summary["question_status"] == {"7": {"sim/good": "passed"}, "2": {"sim/good": "failed"}}
    assert all(one.keys() == ATTEMPT for one in summary["attempts"])
    found = {one["question_number"]: one for one in summary["attempts"]}
    assert (found[7]["model_answer"], found[7]["expected_answer"]) == ("12", "12")
    assert (found[7]["judge_decision"], found[2]["judge_decision"]) == ("PASS", "FAIL")
    assert found[2]["judge_rationale"]
    assert {one["question_number"] for one in summary["attempt_manifest"]} == {7, 2}
    [listed] = client.get("/qa/runs").json()["runs"]
    assert (listed["run_id"], listed["accuracy"]) == (run_id, 0.5)
    [row] = client.get("/qa/leaderboard").json()["models"]
    assert (row["model_id"], row["best_accuracy"], row["best_run_id"]) == ("sim/good", 0.5, run_id)


async def test_errors_are_asked_again_by_the_number_of_the_question(
    client: TestClient, questions: Questions
) -> None:
    questions.silent_about |= {"12", "Ada"}
    run_id = started(client)
    missing = client.get(f"/qa/runs/{run_id}/incomplete").json()
    assert (missing["incomplete_count"], missing["incomplete_attempts"][0]["question_number"]) == (2, 7)
    await questions.executed(run_id)
    errors = client.get(f"/qa/runs/{run_id}/api-errors").json()
    assert (errors["api_error_count"], errors["api_errors"][0]["question_number"]) == (2, 2)
    questions.silent_about.clear()
    retry = f"/qa/runs/{run_id}/retry-single"
    assert client.post(retry, json={"question_number": 3}).status_code == 400
    again = client.post(retry, json={"question_number": 7})
    assert (again.status_code, again.json()["api_errors_found"]) == (200, 1)
    await questions.executed(run_id)
    assert client.get(f"/qa/runs/{run_id}/api-errors").json()["api_error_count"] == 1
    assert client.post(f"/qa/runs/{run_id}/retry-api-errors").json()["retry_run_id"] == run_id
    await questions.executed(run_id)
    assert client.get(f"/qa/runs/{run_id}").json()["summary"]["status_counts"]["passed"] == 2
    assert client.post(f"/qa/runs/{run_id}/resume").json()["code"] == "nothing-to-do"


async def test_levels_and_a_provider_are_variants(client: TestClient, questions: Questions) -> None:
    run_id = started(client, sweep_thinking_levels=True, provider="deepinfra", judge="sim/other")
    run = await questions.services.stores.runs.get(RunId(run_id))
    levels = ("", "thinking=low+", "thinking=medium+", "thinking=high+")
    assert run.spec.benchmarks == tuple(f"expert_qa:{one}provider=deepinfra" for one in levels)
    assert run.spec.judge is not None
    assert run.spec.judge.models == ("sim/other",)
    budget = started(client, thinking_level="budget_tokens=64")
    await questions.executed(budget)
    sent = [one.prompt.extra for one in questions.model.requests if "reasoning" in one.prompt.extra]
    assert sent == [{"reasoning": {"max_tokens": 64}}] * 2


async def test_the_families_do_not_mix(client: TestClient, questions: Questions) -> None:
    code = client.post("/runs", json={"models": ["sim/good"]}).json()["run_id"]
    qa = started(client)
    assert [one["run_id"] for one in client.get("/qa/runs").json()["runs"]] == [qa]
    assert [one["run_id"] for one in client.get("/runs").json()["runs"]] == [code]
    assert client.get(f"/runs/{qa}").status_code == client.get(f"/qa/runs/{code}").status_code == 404
    await questions.executed(qa)
    assert qa not in client.get("/leaderboard").text
    removed = client.delete("/qa/leaderboard/sim/good").json()
    assert (removed["removed_runs"], removed["status"]) == (1, "removed")
    assert client.get("/qa/runs").json()["runs"] == []
    assert client.get(f"/runs/{code}").status_code == 200


def test_what_cannot_be_run_is_refused(questions: Questions) -> None:
    questions.services = replace(questions.services, expert_qa=ExpertQaDefaults(), benchmark_token="canary")  # noqa: S106 - a test value
    client = client_for(create_app(questions.services))
    body = {"models": ["sim/good"]}
    assert client.post("/qa/runs", json=body).status_code == 401
    assert client.delete("/qa/leaderboard/sim/good").status_code == 401
    for path in ("retry-api-errors", "retry-single", "resume"):
        assert client.post(f"/qa/runs/any/{path}", json={"question_number": 1}).status_code == 401
    headers = {"Authorization": "Bearer canary"}
    refused = client.post("/qa/runs", json=body, headers=headers)
    assert (refused.status_code, "EXPERT_QA_JUDGE_MODEL" in refused.json()["detail"]) == (400, True)
    for changes, status in (
        ({"judge": "a b"}, 400),
        ({"judge": JUDGE, "thinking_level": "very high"}, 400),
        ({"samples": 11}, 422),
        ({"include_tests": True}, 422),
    ):
        assert client.post("/qa/runs", json=body | changes, headers=headers).status_code == status


async def test_the_stream_has_every_answer(questions: Questions) -> None:
    async with served(create_app(questions.services)) as session:
        async with session.post("/qa/runs", json={"models": ["sim/good"]}) as reply:
            run_id = (await reply.json())["run_id"]
        async with (
            working(questions.services.engine),
            session.ws_connect(f"/qa/runs/{run_id}/stream") as socket,
        ):
            received = [message.json() async for message in socket]
        assert [one["type"] for one in received] == ["init", "attempt", "attempt", "complete"]
        assert received[0]["metadata"]["question_count"] == 2
        assert received[1].keys() == ATTEMPT | {"type", "prompt_tokens", "completion_tokens"}
        assert received[-1]["summary"]["status_counts"]["passed"] == 2
        assert await close_code(session, f"/runs/{run_id}/stream") == 4404
        assert await close_code(session, "/qa/runs/nobody/stream") == 4404


async def close_code(session: aiohttp.ClientSession, path: str) -> int | None:
    async with session.ws_connect(path) as socket:
        assert [message async for message in socket] == []
        return socket.close_code
