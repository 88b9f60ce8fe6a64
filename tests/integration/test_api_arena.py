"""The arena over HTTP."""

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.adapters.models.directory import HttpModelDirectory
from assay.adapters.store.offload.folder import OffloadFolder
from assay.adapters.store.stores import sql_stores
from assay.adapters.vault.fernet import FernetVault
from assay.api.app import create_app
from assay.api.dependencies import ApiServices
from assay.domain.benchmark import Source
from assay.domain.calls.transcript import transcript_text
from assay.domain.run import EvaluationId, RunSpec, State
from assay.engine.arena.pairs import Contender, PairKey
from assay.engine.execution.create import create_run
from assay.engine.execution.run_loop import execute_run
from assay.engine.planning.catalogue import Catalogue
from tests.builders import CARD, FINGERPRINT, NOON, LetterBenchmark, Seeded, World, attempt, rewired
from tests.integration.serving import client_for, services
from tests.stores import MemoryDatabase, memory_stores

PAIR = "/api/arena/pair"
VOTE = "/api/arena/vote"
GATED = Source("assay/secret", "0" * 40, (), gated=True)


@pytest.fixture
def wired(tmp_path: Path) -> ApiServices:
    letters = {"letters": LetterBenchmark(size=8)}
    vault = FernetVault(tmp_path / "secret.key")
    world = World(store=sql_stores(MemoryDatabase(), offloaded=OffloadFolder(tmp_path)))
    engine = rewired(world.engine, catalogue=Catalogue(letters), models=HttpModelDirectory({}), vault=vault)
    return replace(services(memory_stores()), engine=engine)


@pytest.fixture
def client(wired: ApiServices) -> TestClient:
    return client_for(create_app(wired))


async def finished(wired: ApiServices, *models: str, **changes: Any) -> None:
    spec = RunSpec(models, ("letters",), data="demo", **changes)
    await execute_run(wired.engine, (await create_run(wired.engine, spec)).id)


def voted(client: TestClient, winner: str, pair: str) -> Any:
    stored = client.post(VOTE, json={"pair": pair, "winner": winner})
    assert stored.status_code == 201, stored.text
    return stored.json()


async def test_a_pair_shows_two_answers_and_no_model(wired: ApiServices, client: TestClient) -> None:
    await finished(wired, "sim/oracle", "sim/refuse")
    shown = client.get(PAIR)
    assert shown.status_code == 200
    found = shown.json()
    assert found["benchmark"] == "letters"
    assert "Say " in found["prompt"]
    answers = {found["answer_a"], found["answer_b"]}
    assert "I am sorry, but I cannot help with that." in answers
    assert len(answers) == 2
    assert "sim/" not in shown.text
    runs = client.get("/api/runs").json()["runs"]
    hidden = base64.urlsafe_b64decode(found["pair"])
    assert all(run["id"].encode() not in hidden for run in runs), "a run tells its models"


async def test_no_pair_is_drawn_from_an_offloaded_run(wired: ApiServices, client: TestClient) -> None:
    await finished(wired, "sim/oracle", "sim/refuse")
    [run] = client.get("/api/runs").json()["runs"]
    await wired.stores.offload.offload(run["id"], at=NOON)
    assert client.get(PAIR).status_code == 404
    await wired.stores.offload.restore(run["id"])
    assert client.get(PAIR).status_code == 200


async def test_pairs_are_drawn_between_the_models_asked_for(wired: ApiServices, client: TestClient) -> None:
    await finished(wired, "sim/oracle", "sim/refuse", "sim/null")
    asked = {"model": ["sim/refuse", "sim/oracle"], "benchmark": "letters"}
    for _ in range(4):
        said = voted(client, "tie", client.get(PAIR, params=asked).json()["pair"])
        assert {said["model_a"], said["model_b"]} == {"sim/oracle", "sim/refuse"}
    assert client.get(PAIR, params={"model": "sim/unknown"}).status_code == 404


async def test_a_vote_names_the_models_and_the_pair_does_not_come_again(
    wired: ApiServices, client: TestClient
) -> None:
    await finished(wired, "sim/oracle", "sim/refuse")
    seen: set[str] = set()
    for _ in range(8):
        found = client.get(PAIR).json()
        assert found["prompt_id"] not in seen
        seen.add(found["prompt_id"])
        winner = "B" if found["answer_a"].startswith("I am sorry") else "A"
        said = voted(client, winner, found["pair"])
        better = said["model_a"] if winner == "A" else said["model_b"]
        assert (better, {said["model_a"], said["model_b"]}) == ("sim/oracle", {"sim/oracle", "sim/refuse"})
        again = client.post(VOTE, json={"pair": found["pair"], "winner": "tie"})
        assert (again.status_code, again.json()["code"]) == (409, "conflict")
    assert client.get(PAIR).status_code == 404
    first, second = client.get("/api/arena/leaderboard").json()["leaderboard"]
    assert (first["rank"], first["model"], first["wins"], first["losses"]) == (1, "sim/oracle", 8, 0)
    assert first["elo"] > 1516
    assert second["elo"] < 1484
    assert first["rating"] is None, "who has only won is stronger than any number says"


async def test_the_order_of_the_answers_is_not_that_of_the_models(
    wired: ApiServices, client: TestClient
) -> None:
    await finished(wired, "sim/oracle", "sim/refuse")
    first = {client.get(PAIR).json()["answer_a"].startswith("I am sorry") for _ in range(40)}
    assert first == {True, False}


async def test_conversations_with_tools_are_no_pair(wired: ApiServices, client: TestClient) -> None:
    seeded = Seeded()
    both = [seeded.evaluation(id=EvaluationId(model), model=model) for model in ("one", "other")]
    await wired.stores.runs.add(replace(seeded.run, state=State.SUCCEEDED), both, [])
    talks = [
        attempt(evaluation_id=one.id, answer=transcript_text([{"role": "user", "content": one.model}]))
        for one in both
    ]
    await wired.stores.attempts.add(talks)
    assert client.get(PAIR).status_code == 404


async def test_equal_answers_are_no_pair(wired: ApiServices, client: TestClient) -> None:
    await finished(wired, "sim/refuse", "sim/refuse?seed=1")
    refused = client.get(PAIR)
    assert refused.status_code == 404
    assert "run two models on the same benchmark" in refused.json()["detail"]


@pytest.mark.parametrize(("revision", "status"), [("hub:0", 404), ("demo:1", 200)])
async def test_answers_to_gated_questions_are_never_shown(
    wired: ApiServices, revision: str, status: int
) -> None:
    engine = rewired(
        wired.engine, catalogue=Catalogue({"letters": LetterBenchmark(replace(CARD, source=GATED))})
    )
    client = client_for(create_app(replace(wired, engine=engine)))
    seeded, stores = Seeded(), wired.stores
    fingerprint = replace(FINGERPRINT, data_revision=revision)
    evaluations = [
        seeded.evaluation(id=EvaluationId(model), model=model, fingerprint=fingerprint)
        for model in ("one", "other")
    ]
    await stores.runs.add(replace(seeded.run, state=State.SUCCEEDED), evaluations, [])
    answers = [
        attempt(item, evaluation_id=one.id, answer=one.model)
        for one in evaluations
        for item in evaluations[0].item_ids
    ]
    await stores.attempts.add(answers)
    assert client.get(PAIR).status_code == status
    token = PairKey(Contender(seeded.run.id, "one"), Contender(seeded.run.id, "other"), "0").token(
        engine.credentials.vault
    )
    vote = client.post(VOTE, json={"pair": token, "winner": "A"})
    assert vote.status_code == (201 if status == 200 else 422)


async def test_only_the_benchmark_asked_for_is_drawn_from(wired: ApiServices, client: TestClient) -> None:
    await finished(wired, "sim/oracle", "sim/refuse")
    assert client.get(PAIR, params={"benchmark": "letters"}).status_code == 200
    assert client.get(PAIR, params={"benchmark": "others"}).status_code == 404


def test_votes_of_the_older_contract_are_stored_and_ranked(client: TestClient) -> None:
    results = [
        ("A", "good", "weak"),
        ("A", "good", "weak"),
        ("B", "good", "weak"),
        ("both_bad", "good", "weak"),
    ]
    for number, (winner, model_a, model_b) in enumerate(results):
        vote = {"prompt_id": f"p{number}", "winner": winner, "model_a": model_a, "model_b": model_b}
        assert client.post(VOTE, json={**vote, "user_id": "ada", "prompt_hash": "f00"}).status_code == 201
    again = {"prompt_id": "p0", "winner": "tie", "model_a": "weak", "model_b": "good"}
    assert client.post(VOTE, json=again).status_code == 409
    found = client.get("/api/arena/leaderboard").json()
    assert found["total_votes"] == 4
    good, weak = found["leaderboard"]
    assert (good["votes"], good["wins"], good["losses"], good["both_bad"]) == (4, 2, 1, 1)
    assert good["elo"] + weak["elo"] == pytest.approx(3000)
    # Two to one: odds of 2, so 400 · log10(2) points between the two.
    assert good["rating"]["value"] - weak["rating"]["value"] == pytest.approx(120.412, abs=1e-3)
    assert good["rating"]["low"] < good["rating"]["value"] < good["rating"]["high"]


@pytest.mark.parametrize(
    "vote",
    [
        {"winner": "A"},
        {"winner": "C", "prompt_id": "p", "model_a": "a", "model_b": "b"},
        {"winner": "A", "prompt_id": "p", "model_a": "a"},
        {"winner": "A", "prompt_id": "p", "model_a": "a", "model_b": "b", "pair": "cGFpcg=="},
        {"winner": "A", "prompt_id": "p" * 201, "model_a": "a", "model_b": "b"},
    ],
)
def test_votes_that_are_none_are_refused(client: TestClient, vote: Any) -> None:
    assert client.post(VOTE, json=vote).status_code == 422


@pytest.mark.parametrize(
    "pair", ["x", "cGFpcg==", "W10=", "WzEsMl0=", "e30=", "bnVsbA==", "W1tdLFtdLFtdLFtdLFtdXQ=="]
)
def test_a_made_up_pair_is_refused(client: TestClient, pair: str) -> None:
    assert client.post(VOTE, json={"winner": "A", "pair": pair}).status_code in {400, 404, 422}


def test_a_pair_of_another_installation_is_refused(client: TestClient, tmp_path: Path) -> None:
    one = Contender("run", "evaluation")
    token = PairKey(one, one, "0").token(FernetVault(tmp_path / "other.key"))
    refused = client.post(VOTE, json={"winner": "A", "pair": token})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid-value")


def test_a_model_is_not_compared_with_itself(client: TestClient) -> None:
    vote = {"prompt_id": "p", "winner": "A", "model_a": "a", "model_b": "a"}
    assert client.post(VOTE, json=vote).status_code == 422
    assert client.get("/api/arena/leaderboard").json() == {"leaderboard": [], "total_votes": 0}
