"""Comparisons and leaderboards over HTTP."""

from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.models.directory import HttpModelDirectory
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.domain.run import Run, RunSpec, State, Subset
from assay.engine.execution.create import create_run
from assay.engine.execution.engine import Engine
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from tests.builders import CARD, LetterBenchmark, World, rewired
from tests.integration.serving import client_for, services
from tests.stores import memory_stores

GOOD = "sim/good?skill=0.9"
FAIR = "sim/good?skill=0.88"
WEAK = "sim/good?skill=0.3"
LETTERS = {name: LetterBenchmark(card=replace(CARD, name=name), size=120) for name in ("letters", "more")}


@pytest.fixture
def wired() -> ApiServices:
    engine = rewired(World().engine, catalogue=Catalogue(LETTERS), models=HttpModelDirectory({}))
    return replace(services(memory_stores()), engine=engine)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


async def finished(engine: Engine, *models: str, **changes: Any) -> Run:
    spec = RunSpec(models, changes.pop("benchmarks", ("letters",)), data="demo", **changes)
    return await execute_run(engine, (await create_run(engine, spec)).id)


async def test_the_models_of_a_run_are_compared_item_by_item(wired: ApiServices, client: TestClient) -> None:
    run = await finished(wired.engine, GOOD, WEAK, benchmarks=("letters", "more"))
    found = client.get("/api/compare", params={"run": run.id[:8]}).json()
    assert len(found["evaluations"]) == 4
    assert [one["ours"]["benchmark"] for one in found["comparisons"]] == ["letters", "more"]
    one = found["comparisons"][0]
    statistics = one["statistics"]
    assert (one["ours"]["model"], one["theirs"]["model"]) == (GOOD, WEAK)
    assert (statistics["verdict"], statistics["n"], statistics["test"]) == ("better", 120, "mcnemar-exact")
    assert statistics["difference"] == pytest.approx(
        one["ours"]["score"]["value"] - one["theirs"]["score"]["value"]
    )
    assert statistics["interval"]["low"] > 0
    assert statistics["adjusted_p"] >= statistics["p_value"]
    assert one["sentence"].startswith(f"{GOOD} is better than {WEAK} on letters by")
    assert (one["is_comparable"], one["differing"], found["items"]) == (True, [], None)


async def test_evaluations_of_different_runs_are_compared_with_what_differs(
    wired: ApiServices, client: TestClient
) -> None:
    first = await finished(wired.engine, GOOD)
    second = await finished(wired.engine, WEAK, subset=Subset(percent=50))
    ids = [(await wired.stores.runs.evaluations(run.id))[0].id for run in (first, second)]
    found = client.get("/api/compare", params={"evaluation": ids}).json()
    [one] = found["comparisons"]
    assert (one["is_comparable"], one["differing"]) == (False, ["items_checksum", "prompts_checksum"])
    assert one["statistics"]["n"] == 60
    assert "Not like for like" in one["sentence"]
    within = client.get("/api/compare", params={"evaluation": ids, "run": [first.id, second.id]}).json()
    assert within == found


async def test_items_can_be_paged_through_by_who_scored_where(wired: ApiServices, client: TestClient) -> None:
    run = await finished(wired.engine, GOOD, WEAK)
    [one] = client.get("/api/compare", params={"run": run.id}).json()["comparisons"]
    statistics = one["statistics"]

    def page(choice: str, **more: Any) -> dict[str, Any]:
        params = {"run": run.id, "items": choice} | more
        found: dict[str, Any] = client.get("/api/compare", params=params).json()["items"]
        return found

    assert page("all")["total"] == 120
    assert page("disagree")["total"] == statistics["wins"] + statistics["losses"]
    assert page("only_first")["total"] == statistics["wins"]
    both_wrong = page("all_wrong", limit=500)
    assert [cell["score"] for row in both_wrong["items"] for cell in row["cells"]] == (
        [0.0] * 2 * both_wrong["total"]
    )
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        found = page("disagree", limit=7, **cursor)
        seen += [row["item_id"] for row in found["items"]]
        if found["next_cursor"] is None:
            break
        cursor = {"cursor": found["next_cursor"]}
    assert seen == sorted(set(seen))
    assert len(seen) == page("disagree")["total"]
    row = page("only_first")["items"][0]
    assert row["expected"] == row["cells"][0]["extracted"] != row["cells"][1]["extracted"]
    assert (row["cells"][0]["outcomes"], row["cells"][1]["outcomes"]) == (["correct"], ["incorrect"])


@pytest.mark.parametrize(
    ("params", "status"),
    [
        ({}, 422),
        ({"evaluation": ["nothing", "nothing-else"]}, 404),
        ({"run": "nothing-here"}, 404),
        ({"run": "RUN", "items": "some"}, 422),
        ({"run": "RUN", "items": "all"}, 422),
        ({"evaluation": "EVALUATION"}, 422),
    ],
)
async def test_what_cannot_be_compared_is_a_problem(
    wired: ApiServices, client: TestClient, params: dict[str, Any], status: int
) -> None:
    run = await finished(wired.engine, GOOD, WEAK, benchmarks=("letters", "more"), subset=Subset(count=2))
    known = {"RUN": run.id, "EVALUATION": (await wired.stores.runs.evaluations(run.id))[0].id}
    asked = {
        name: known.get(value, value) if isinstance(value, str) else value for name, value in params.items()
    }
    response = client.get("/api/compare", params=asked)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"


async def test_too_many_pairs_are_refused(wired: ApiServices, client: TestClient) -> None:
    models = [f"sim/good?seed={seed}" for seed in range(11)]
    run = await finished(wired.engine, *models, subset=Subset(count=1))
    assert "55 pairs" in client.get("/api/compare", params={"run": run.id}).json()["detail"]


async def test_the_leaderboard_ranks_the_best_run_of_each_model_and_shows_ties(
    wired: ApiServices, client: TestClient
) -> None:
    await finished(wired.engine, GOOD, WEAK)
    await finished(wired.engine, FAIR, GOOD)
    found = client.get("/api/leaderboard", params={"benchmark": "letters"}).json()
    [table] = found["tables"]
    first, second, third = table["rows"]
    assert (table["data"], table["differing"], table["samples"]) == ("demo", [], 1)
    assert {first["model"], second["model"]} == {GOOD, FAIR}
    assert third["model"] == WEAK
    assert first["score"]["value"] >= second["score"]["value"] > third["score"]["value"]
    assert [row["rank"] for row in table["rows"]] == [1, 1, 3]
    assert [row["is_tied"] for row in table["rows"]] == [True, True, False]
    assert first["above"] is None
    assert second["above"]["verdict"] != "better"
    assert third["above"]["verdict"] == "better"
    assert third["sentence"].startswith(f"{second['model']} is better than {WEAK}")
    assert {row["model"]: row["runs"] for row in table["rows"]} == {GOOD: 2, FAIR: 1, WEAK: 1}
    assert third["cost_usd"] is None
    assert first["warnings"] == []
    assert third["duration_s"] is not None
    assert third["score"]["interval"]["low"] < third["score"]["value"]


async def test_what_cannot_be_compared_stands_apart_with_the_reason(
    wired: ApiServices, client: TestClient
) -> None:
    await finished(wired.engine, GOOD, WEAK)
    await finished(wired.engine, GOOD, subset=Subset(percent=50))
    waiting = await create_run(wired.engine, RunSpec((WEAK,), ("letters",), data="demo"))
    canceled = await create_run(wired.engine, RunSpec((WEAK,), ("letters",), data="demo"))
    client.post(f"/api/runs/{canceled.id}/cancel")
    found = client.get("/api/leaderboard", params={"benchmark": "letters"}).json()
    assert [len(table["rows"]) for table in found["tables"]] == [2, 1]
    assert found["tables"][1]["differing"] == ["items_checksum", "prompts_checksum"]
    reasons = {one["run_id"]: (one["status"], one["reason"]) for one in found["unranked"]}
    assert reasons == {
        waiting.id: ("queued", "it is queued and has no final score yet"),
        canceled.id: ("canceled", "it was canceled"),
    }
    assert found["unranked_total"] == 2


def test_an_installed_benchmark_without_runs_has_an_empty_leaderboard(client: TestClient) -> None:
    found = client.get("/api/leaderboard", params={"benchmark": "more"})
    assert found.json() == {"benchmark": "more", "tables": [], "unranked": [], "unranked_total": 0}
    assert client.get("/api/leaderboard", params={"benchmark": "mor"}).status_code == 404
    assert client.get("/api/leaderboard").status_code == 422


async def test_a_failed_evaluation_is_listed_with_its_error(wired: ApiServices, client: TestClient) -> None:
    run = await finished(wired.engine, "sim/good?error=1", subset=Subset(count=1))
    assert run.state is State.FAILED
    [one] = client.get("/api/leaderboard", params={"benchmark": "letters"}).json()["unranked"]
    assert one["status"] == "failed"
    assert one["reason"].startswith("it failed: no attempt has a verdict")


async def test_a_difference_within_the_noise_is_said(wired: ApiServices, client: TestClient) -> None:
    await finished(wired.engine, WEAK, "sim/good?skill=0.31", samples=3)
    run = await finished(wired.engine, WEAK, "sim/good?skill=0.31")
    [one] = client.get("/api/compare", params={"run": run.id}).json()["comparisons"]
    assert 0.05 < one["noise_floor"] < 0.2
    assert abs(one["statistics"]["difference"]) < one["noise_floor"]
    board = client.get("/api/leaderboard", params={"benchmark": "letters"}).json()
    table = next(one for one in board["tables"] if one["samples"] == 1)
    assert table["rows"][1]["is_within_noise"] == ("Within the noise floor" in table["rows"][1]["sentence"])


async def test_a_sample_size_is_told_before_anything_is_stored_and_after(
    wired: ApiServices, client: TestClient
) -> None:
    asked = {"benchmark": "letters", "difference": 0.1, "data": "demo"}
    before = client.get("/api/sample-size", params=asked).json()
    assert (before["score"], before["spread"]["models"]) == (0.5, [])
    assert 0 < before["paired"] == before["unpaired"]
    await finished(wired.engine, FAIR, WEAK)
    after = client.get("/api/sample-size", params=asked).json()
    assert after["spread"]["models"] == [FAIR, WEAK]
    assert 0.5 < after["score"] < 0.8
    assert after["paired"] < before["paired"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [({"difference": 0}, 422), ({"benchmark": "leters"}, 404), ({"score": 2}, 422), ({"data": "/etc"}, 422)],
)
def test_a_sample_size_of_what_is_not_there_is_refused(
    client: TestClient, changes: dict[str, str | float], status: int
) -> None:
    asked = {"benchmark": "letters", "difference": 0.1} | changes
    assert client.get("/api/sample-size", params=asked).status_code == status
