"""Items of an evaluation: filters, order, pages, and one item in full."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.domain.attempt import Call
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Prompt, Usage
from assay.domain.calls.timing import Arrivals, StreamTiming
from assay.domain.outcome import Outcome
from assay.domain.review import Annotation, Label
from assay.domain.run import ItemFacts, State
from assay.engine.stores import Stores
from tests.builders import NOON, Seeded, attempt
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


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"label": "fix"}, ["0"]),
        ({"label": "wrong"}, []),
        ({"label": ["fix", "golden"]}, ["0", "1"]),
        ({"label": "none"}, ["2", "3"]),
        ({"label": ["none", "golden"]}, ["1", "2", "3"]),
        ({"category": "math"}, ["0", "3"]),
        ({"category": ["law", "art"]}, ["1"]),
        ({"category": "art"}, []),
        ({"min_tokens": 20}, ["1", "3"]),
        ({"max_tokens": 20}, ["0", "1"]),
        ({"min_ms": 15, "max_ms": 25}, ["2"]),
        ({"min_ms": 15, "category": "math", "label": "none"}, ["3"]),
    ],
)
def test_items_are_filtered_by_label_category_tokens_and_time(
    store: Stores, client: TestClient, query: dict[str, Any], found: list[str]
) -> None:
    page = client.get(_annotated(store), params=query).json()
    assert page["categories"] == ["law", "math"]
    assert [one["item_id"] for one in page["items"]["items"]] == found
    assert page["items"]["total"] == len(found)


def _annotated(store: Stores) -> str:
    """The four items with categories, tokens, and labels, of which the newest count."""
    run = Seeded().run
    kinds = ("math", "law", None, "math")
    facts = tuple(ItemFacts("h", "p", kind) for kind in kinds)
    evaluation = Seeded().evaluation(facts=facts)
    made = [
        replace(one, usage=Usage(output_tokens=tokens))
        for one, tokens in zip(MADE, (10, 20, None, 40), strict=True)
    ]

    async def fill() -> None:
        await store.runs.add(run, [evaluation], [])
        await store.attempts.add(made)
        for item, label in (("0", Label.WRONG), ("0", Label.FIX), ("1", Label.GOLDEN)):
            await store.reviews.add_annotation(Annotation(evaluation.id, ItemId(item), 0, label, NOON))

    asyncio.run(fill())
    return f"/api/runs/{run.id}/benchmarks/letters"


def test_samples_of_an_item_are_counted_and_grouped(store: Stores, client: TestClient) -> None:
    samples = [
        attempt("0", sample=sample, outcome=outcome, score=float(outcome is Outcome.CORRECT))
        for sample, outcome in enumerate((Outcome.INCORRECT, Outcome.CORRECT, Outcome.CORRECT))
    ]
    path = path_of(store, *samples, attempt("1", sample=1))

    def rows(**query: str) -> list[tuple[str, int, int, int]]:
        page = client.get(path, params=query).json()["items"]
        assert page["total"] == len(page["items"])
        return [
            (one["item_id"], one["sample"], one["samples"]["correct"], one["samples"]["made"])
            for one in page["items"]
        ]

    assert rows() == [("0", 0, 2, 3), ("0", 1, 2, 3), ("0", 2, 2, 3), ("1", 1, 1, 1)]
    assert rows(per_item="true") == [("0", 0, 2, 3), ("1", 1, 1, 1)]
    assert rows(per_item="true", outcome="correct", sort="-score") == [("0", 1, 2, 3), ("1", 1, 1, 1)]


@pytest.mark.parametrize(
    ("search", "field", "excerpt"),
    [
        ("ALPHA", "response", ("", "Alpha", " and\u2028omega")),
        ("lighthouse", "prompt", ("What does the ", "lighthouse", " say? Answer.")),
        ("expe", "expected", ("", "expe", "cted")),
        ("0", "item_id", ("", "0", "")),
        ("no byte", "error", ("", "no byte", " for 30 s")),
    ],
)
def test_a_search_shows_where_it_matches(
    store: Stores, client: TestClient, search: str, field: str, excerpt: tuple[str, str, str]
) -> None:
    made = attempt(
        "0",
        prompt=Prompt.of_user("What does the lighthouse say?\nAnswer.").to_json(),
        answer="Alpha and\u2028omega",
        expected="expected",
        error_message="no byte for 30 s",
    )
    path = path_of(store, made)
    (row,) = client.get(path, params={"search": search, "brief": "true"}).json()["items"]["items"]
    assert row["match"] == dict(zip(("field", "before", "text", "after"), (field, *excerpt), strict=True))
    assert (row["prompt"], row["response"]) == ("", "Alpha and\u2028omega")
    (unsearched,) = client.get(path).json()["items"]["items"]
    assert (unsearched["match"], "lighthouse" in unsearched["prompt"]) == (None, True)


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
