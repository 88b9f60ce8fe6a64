"""Items of an evaluation: filters, order, pages, and one item in full."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.domain.attempt import Call
from assay.domain.messages import Usage
from assay.domain.outcome import Outcome
from assay.domain.run import State
from assay.domain.timing import Arrivals, StreamTiming
from assay.engine.stores import Stores
from tests.builders import NOON, attempt
from tests.integration.serving import add, client_of
from tests.stores import memory_stores

MADE = [
    attempt("0", answer="alpha", timing=StreamTiming(duration_ms=30)),
    attempt("1", outcome=Outcome.INCORRECT, score=0.0, answer="beta", timing=StreamTiming(duration_ms=10)),
    attempt(
        "2", outcome=Outcome.PARTIAL, score=0.5, extracted="Alphabet", timing=StreamTiming(duration_ms=20)
    ),
    attempt("3", outcome=Outcome.TIMEOUT, score=None, answer="", error_message="no byte for 30 s"),
]


@pytest.fixture
def store() -> Stores:
    return memory_stores()


@pytest.fixture
def client(store: Stores) -> TestClient:
    return client_of(store)


def path_of(store: Stores, *attempts: Any) -> str:
    return f"/api/runs/{add(store, state=State.RUNNING, attempts=attempts or MADE)}/benchmarks/letters"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"outcome": "timeout"}, ["3"]),
        ({"outcome": ["correct", "partial"]}, ["0", "2"]),
        ({"search": "ALPHA"}, ["0", "2"]),
        ({"search": "alpha", "outcome": "partial"}, ["2"]),
        ({"search": "%"}, []),
        ({"sort": "score"}, ["1", "2", "0", "3"]),
        ({"sort": "-score"}, ["0", "2", "1", "3"]),
        ({"sort": "duration"}, ["1", "2", "0", "3"]),
        ({"sort": "-duration", "limit": 2, "offset": 1}, ["0", "2"]),
        ({"offset": 4}, []),
    ],
)
def test_items_are_filtered_and_sorted_by_the_server(
    store: Stores, client: TestClient, query: dict[str, Any], found: list[str]
) -> None:
    page = client.get(path_of(store), params=query).json()
    assert [one["item_id"] for one in page["items"]["items"]] == found
    is_filtered = "outcome" in query or "search" in query
    assert page["items"]["total"] == (len(found) if is_filtered else 4)
    assert page["benchmark"]["completed_items"] == page["summary"]["total_items"] == 4
    assert page["summary"]["error_breakdown"] == [{"message": "no byte for 30 s", "count": 1}]


def test_totals_are_left_out_on_request(store: Stores, client: TestClient) -> None:
    page = client.get(path_of(store), params={"summary": False}).json()
    assert (page["summary"], page["items"]["total"]) == (None, 4)


@pytest.mark.parametrize(
    "query", [{"outcome": "wrong"}, {"sort": "age"}, {"search": ""}, {"limit": 0}, {"offset": -1}]
)
def test_filters_that_mean_nothing_are_refused(
    store: Stores, client: TestClient, query: dict[str, Any]
) -> None:
    response = client.get(path_of(store), params=query)
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"].split(".")[0] == next(iter(query))


def test_an_item_shows_every_attempt_with_its_calls(store: Stores, client: TestClient) -> None:
    calls = (
        Call(NOON, 5.0, status=429, error_code="rate-limited", error_message="slow down", concurrency=3),
        Call(
            NOON,
            20.0,
            status=200,
            finish_reason="stop",
            usage=Usage(input_tokens=10, output_tokens=2, reasoning_tokens=1),
            timing=StreamTiming(duration_ms=20, ttft_ms=4),
            served_model="good-1",
            arrivals=Arrivals(7.0, 7.02, (7.004, 7.01234)),
        ),
    )
    made = attempt(
        "0",
        calls=calls,
        tries=2,
        prompt="[]",
        reasoning="because",
        explanation="the letter",
        details={"k": (1,)},
        item_hash="h",
    )
    path = path_of(store, made)
    found = client.get(f"{path}/items/0").json()
    assert (found["item_id"], found["samples"], found["model"]) == ("0", 1, "sim/good")
    [shown] = found["attempts"]
    assert (shown["tries"], shown["reasoning"], shown["explanation"]) == (2, "because", "the letter")
    assert (shown["details"], shown["item_hash"]) == ({"k": [1]}, "h")
    assert [(call["status"], call["error_code"]) for call in shown["calls"]] == [
        (429, "rate-limited"),
        (200, None),
    ]
    assert shown["calls"][0]["concurrency"] == 3
    assert [call["arrivals_ms"] for call in shown["calls"]] == [[], [4, 12.3]]
    assert (shown["calls"][1]["reasoning_tokens"], shown["calls"][1]["timing"]["ttft_ms"]) == (1, 4)


def test_an_item_that_waits_has_no_attempts_and_a_foreign_one_is_unknown(
    store: Stores, client: TestClient
) -> None:
    path = path_of(store, MADE[0])
    assert client.get(f"{path}/items/1").json()["attempts"] == []
    assert client.get(f"{path}/items/9").status_code == 404
    assert client.get(f"{path}/items/9/8").status_code == 404


def test_the_calibration_of_answers_with_a_stated_confidence(store: Stores, client: TestClient) -> None:
    said = [(90, Outcome.CORRECT), (95, Outcome.INCORRECT), (None, Outcome.CORRECT)]
    made = [
        attempt(str(number), outcome=outcome, score=None, details={"confidence": confidence})
        for number, (confidence, outcome) in enumerate(said)
    ]
    report = client.get(f"{path_of(store, *made)}/calibration").json()
    assert report["n"] == 2
    [one] = report["bins"]
    assert (one["low"], one["high"], one["correct"]) == (0.9, 1.0, 0.5)
    assert one["interval"]["low"] < 0.5 < one["interval"]["high"]
