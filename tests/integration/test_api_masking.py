"""What the API shows of a gated benchmark, and to whom."""

import asyncio
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from assay.api.app import create_app
from assay.domain.access.visibility import Visibility
from assay.domain.outcome import Outcome
from assay.domain.run import Description, Evaluation, EvaluationId, Run, RunId, RunSpec, State
from assay.engine.planning.catalogue import Catalogue
from assay.engine.results.masking import MASKED
from assay.engine.stores import Stores
from tests.builders import CARD, FINGERPRINT, NOON, LetterBenchmark, Seeded, attempt, rewired
from tests.integration.serving import services
from tests.stores import memory_stores

HIDDEN = "swordfish"
OPERATOR = "open sesame"
GATED = LetterBenchmark(card=replace(CARD, source=replace(CARD.source, gated=True)))
ITEMS = "/api/runs/gated-run/benchmarks/letters"
REPORT = "/api/compare/report?run=gated-run"
PAGES = [ITEMS, f"{ITEMS}/items/0", "/api/compare?run=gated-run&items=all"]


def evaluation(run: Run, number: int) -> Evaluation:
    official = replace(FINGERPRINT, data_revision="hub:" + "0" * 40)
    return Seeded(run).evaluation(
        id=EvaluationId(f"e{number}"),
        model=f"sim/{number}",
        fingerprint=official,
        state=State.SUCCEEDED,
        started_at=NOON,
        finished_at=NOON,
    )


@pytest.fixture
def store() -> Stores:
    """One run of two models on a gated benchmark; every text of its attempts holds the secret."""
    store = memory_stores()
    run = Run(RunId("gated-run"), RunSpec(("sim/0", "sim/1"), ("letters",)), NOON, state=State.SUCCEEDED)
    made = attempt("0", prompt=HIDDEN, answer=HIDDEN, expected=HIDDEN, extracted=HIDDEN, explanation=HIDDEN)
    wrong = replace(made, outcome=Outcome.INCORRECT, score=0.0)
    failed = attempt("1", outcome=Outcome.GRADER_ERROR, score=None, error_message=HIDDEN, error_code="grader")

    async def fill() -> None:
        evaluations = [evaluation(run, number) for number in range(2)]
        await store.runs.add(run, evaluations, [])
        for one, first in zip(evaluations, (made, wrong), strict=True):
            await store.attempts.add([replace(each, evaluation_id=one.id) for each in (first, failed)])

    asyncio.run(fill())
    return store


def client_at(store: Stores, address: str, *, needs_identity: bool = False) -> TestClient:
    wired = services(store)
    engine = rewired(wired.engine, catalogue=Catalogue({"letters": GATED}))
    wired = replace(wired, engine=engine, needs_identity=needs_identity)
    app = create_app(replace(wired, admin_secret=OPERATOR, hosts=("assay.example",)))
    return TestClient(
        app, base_url="http://127.0.0.1:8017", client=(address, 40_000), raise_server_exceptions=False
    )


def asked(path: str, **parameters: str) -> str:
    """The path with the evaluation named where the run has several, and with the parameters."""
    query = {"model": "sim/0", **parameters} if path.startswith(ITEMS) else parameters
    return path + ("&" if "?" in path else "?") + "&".join(f"{name}={value}" for name, value in query.items())


@pytest.mark.parametrize("path", PAGES)
def test_texts_are_masked_unless_the_operator_asks_for_them(store: Stores, path: str) -> None:
    client = client_at(store, "127.0.0.1")
    masked = client.get(asked(path))
    assert masked.status_code == 200
    assert HIDDEN not in masked.text
    assert MASKED in masked.text
    assert '"is_masked":true' in masked.text
    shown = client.get(asked(path, reveal="true"))
    assert HIDDEN in shown.text
    assert '"is_masked":false' in shown.text
    # What is remembered of one kind of caller is not shown to the other.
    assert HIDDEN not in client.get(asked(path)).text


def test_whoever_reads_a_public_run_is_not_the_operator(store: Stores) -> None:
    """Behind a proxy on the same machine all callers may look local."""
    public = Description(visibility=Visibility.PUBLIC)
    asyncio.run(store.runs.describe(RunId("gated-run"), public))
    client = client_at(store, "127.0.0.1", needs_identity=True)
    masked = client.get(asked(ITEMS))
    assert MASKED in masked.text
    assert HIDDEN not in masked.text
    assert client.get(asked(ITEMS, reveal="true")).status_code == 403


def test_a_report_is_masked_unless_the_operator_asks_for_the_texts(store: Stores) -> None:
    client = client_at(store, "127.0.0.1")
    masked = client.get(REPORT)
    assert masked.status_code == 200
    assert HIDDEN not in masked.text
    assert MASKED in masked.text
    assert "Texts are masked" in masked.text
    assert HIDDEN in client.get(asked(REPORT, reveal="true")).text


def test_a_comparison_as_markdown_holds_no_text_of_items(store: Stores) -> None:
    found = client_at(store, "127.0.0.1").get(asked(REPORT, format="markdown", reveal="true"))
    assert found.headers["content-type"].startswith("text/markdown")
    assert "sim/0 and sim/1" in found.text
    assert HIDDEN not in found.text


@pytest.mark.parametrize("path", [*PAGES, REPORT])
def test_others_may_not_ask_for_them(store: Stores, path: str) -> None:
    path = asked(path, reveal="true")
    refused = client_at(store, "203.0.113.9").get(path)
    assert (refused.status_code, refused.json()["code"]) == (403, "reveal-refused")
    near = client_at(store, "127.0.0.1")
    assert near.get(path, headers={"x-forwarded-for": "203.0.113.9"}).status_code == 403
    assert near.get(path, headers={"host": "assay.example"}).status_code == 403
    far = client_at(store, "203.0.113.9")
    assert far.get(path, headers={"x-admin-secret": "wrong"}).status_code == 403
    assert HIDDEN in far.get(path, headers={"x-admin-secret": OPERATOR}).text


def test_masked_texts_cannot_be_found_out_by_searching(store: Stores) -> None:
    client = client_at(store, "127.0.0.1")
    refused = client.get(asked(ITEMS, search="sword"))
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "search")
    # One reply, and the message of an error that quotes one.
    assert client.get(asked(ITEMS, search="sword", reveal="true")).json()["items"]["total"] == 2
    revealed = client.get(asked(ITEMS, search="sword", reveal="true")).json()["items"]["items"]
    assert all(one["match"]["text"].lower() == "sword" for one in revealed)
    narrowed = client.get(asked(ITEMS, brief="true", label="none", per_item="true"))
    assert narrowed.json()["items"]["total"] > 0
    assert "sword" not in narrowed.text.lower()
    assert {one["match"] for one in narrowed.json()["items"]["items"]} == {None}


def test_errors_are_counted_by_their_code(store: Stores) -> None:
    page = client_at(store, "127.0.0.1").get(asked(ITEMS)).json()
    assert page["summary"]["error_breakdown"] == [{"message": "grader", "count": 1}]
