"""Robust extraction: a corpus of answers of our own, and what holds for any text."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.domain.benchmark import Grade, ItemId, Result
from assay.domain.outcome import Outcome
from assay.engine.graders.number import parse_number
from assay.engine.graders.robust import (
    disagreement_metrics,
    robust_choice,
    robust_number,
    robust_text,
    robust_value,
    with_robust,
)

CORPUS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parent / "robust_corpus.jsonl").read_text(encoding="utf-8").splitlines()
]
LETTERS = "ABCDEFGHIJ"


def choice(reply: str, options: tuple[str, ...] = ()) -> str | None:
    return robust_choice(reply, letters=LETTERS[: len(options)] if options else LETTERS, options=options)


FAMILIES: dict[str, Callable[[str], str | None]] = {
    "choice": choice,
    "number": robust_number,
    "text": robust_text,
}


def test_the_corpus_is_large_and_says_nothing_twice() -> None:
    families = Counter(row["family"] for row in CORPUS)
    assert families.keys() == FAMILIES.keys()
    assert min(families.values()) >= 60
    assert families.total() >= 200
    assert len({json.dumps(row, sort_keys=True) for row in CORPUS}) == len(CORPUS)
    assert sum(row["expected"] is None for row in CORPUS) >= 40


@pytest.mark.parametrize("row", CORPUS, ids=lambda row: f"{row['family']}-{row['reply'][:40]!a}")
def test_every_answer_of_the_corpus_is_read_as_expected(row: dict[str, Any]) -> None:
    if row["family"] == "choice":
        found = choice(row["reply"], tuple(row.get("options", ())))
    else:
        found = FAMILIES[row["family"]](row["reply"])
    assert found == row["expected"]


@pytest.mark.parametrize("row", CORPUS, ids=lambda row: f"{row['family']}-{row['reply'][:40]!a}")
def test_long_reasoning_before_it_changes_nothing(row: dict[str, Any]) -> None:
    reply = "<think>" + "Maybe the answer is A, or \\boxed{1}. " * 300 + "</think>\n\n" + row["reply"]
    if "think" in row["reply"].lower():
        return  # how blocks nest is another matter
    options = tuple(row.get("options", ()))
    found = choice(reply, options) if row["family"] == "choice" else FAMILIES[row["family"]](reply)
    assert found == row["expected"]


PIECES = (
    *"ABIJabx019.:;()*_{}[]<>$\\\n\t =-,/'\"`?!", "answer", "Answer", " is ", " not ", "the ", "answer is (",
    "Answer: ", r"\boxed{", r"\text{", r"\frac{1}{2}", "<think>", "</think>", "correct", " or ", " option ",
    "\x02", "\x03", "é", "答案", "İ", "\uff11", "\u202f", "therefore, ", "<answer>", "</answer>", "1,000",
    "e5",
)  # fmt: skip
replies = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60)


@settings(max_examples=200)
@given(replies)
def test_any_text_is_read_without_error_into_its_own_kind(reply: str) -> None:
    assert choice(reply) in (None, *LETTERS)
    number = robust_number(reply)
    assert number is None or all(parse_number(part) is not None for part in number.split("/"))
    text = robust_text(reply)
    assert text is None or text == text.strip() != ""
    assert "\x02" not in (text or "")


@given(st.sampled_from(LETTERS), replies.filter(lambda reply: "answer" not in reply.lower()))
def test_a_plain_last_statement_wins_over_whatever_came_before(letter: str, before: str) -> None:
    assert choice(f"{before}</think>\n\nThe answer is ({letter}).") == letter


@given(st.integers(-(10**9), 10**9))
def test_a_number_is_the_same_in_every_dress(value: int) -> None:
    dressed = (f"{value}", f"{value:,}", f"**{value}**", f"${value}$", f"$\\boxed{{{value}}}$", f"{value}.0")
    for shown in dressed:
        assert robust_number(f"The answer is {shown}.") == str(value), shown


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ("70", "70"),
        ("024", "24"),
        ("m+n=117", "117"),
        (r"\frac{140}{2}", "70"),
        ("12 + 5", None),
        ("x", None),
    ],
)
def test_what_a_statement_holds_is_read_as_a_number(content: str, value: str | None) -> None:
    assert robust_value(content) == value


def test_the_robust_reading_is_kept_only_where_it_differs() -> None:
    grade = Grade(Outcome.INCORRECT, 0.0, extracted="A", details={"kept": 1})
    assert with_robust(grade, "A", official="A", is_right=False) is grade
    beside = with_robust(grade, "B", official="A", is_right=True)
    assert beside.details == {"kept": 1, "robust": {"extracted": "B", "is_correct": True}}
    assert (beside.outcome, beside.score, beside.extracted) == (Outcome.INCORRECT, 0.0, "A")


def result(item: str, score: float, *, robust: bool | None = None, sample: int = 0) -> Result:
    details = {} if robust is None else {"robust": {"extracted": "B", "is_correct": robust}}
    outcome = Outcome.CORRECT if score else Outcome.INCORRECT
    return Result(ItemId(item), sample, outcome, score, None, None, details)


def test_the_rate_of_disagreement_tells_format_from_knowledge() -> None:
    metrics = disagreement_metrics(
        [result("1", 1.0), result("2", 0.0, robust=True), result("3", 0.0, robust=False), result("4", 0.0)]
    )
    assert metrics["extraction_disagreement"].value == 0.5
    assert metrics["robust_accuracy"].value == 0.5
    agreed = disagreement_metrics([result("1", 1.0), result("2", 0.0)])
    assert {name: one.value for name, one in agreed.items()} == {"extraction_disagreement": 0.0}
    assert disagreement_metrics([]) == {}


def test_repeats_of_an_item_are_one_cluster() -> None:
    repeated = [
        result(str(item), 1.0, robust=item % 2 == 0 or None, sample=sample)
        for item in range(40)
        for sample in range(4)
    ]
    assert disagreement_metrics(repeated)["extraction_disagreement"].clusters == 40
