"""GPQA Diamond: letters, orders, prompts, rows and verdicts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.gpqa_diamond.extraction import (
    labelled_letter,
    nine_pattern_letter,
    simple_evals_letter,
)
from assay.benchmarks.gpqa_diamond.task import GpqaDiamond, benchmark
from assay.domain.benchmark import Grade, Item, ItemId, Result, Row, Services
from assay.domain.calls.messages import Completion, Json
from assay.domain.errors import BadRowError
from assay.domain.outcome import Outcome

ALL = {"": benchmark, **benchmark.variants}
ROW: dict[str, Json] = {
    "Record ID": "rec1",
    "Question": "Which is a metal?",
    "Correct Answer": "Iron",
    "Incorrect Answer 1": "Neon",
    "Incorrect Answer 2": "Argon",
    "Incorrect Answer 3": "Helium",
    "High-level domain": "Chemistry",
    "Subdomain": "General",
}
SIMPLE = r"(?i)Answer[ \t]*:[ \t]*\$?([A-D])\$?"
NINE = (
    r"(?i)[\*\_]{0,2}Answer[\*\_]{0,2}\s*:[\s\*\_]{0,2}\s*([A-Z])(?![a-zA-Z0-9])",
    r"\\boxed\{[^}]*([A-Z])[^}]*\}",
    r"answer is ([a-zA-Z])",
    r"answer is \(([a-zA-Z])\)",
    r"([A-Z])\)\s*[^A-Z]*",
    r"([A-Z])\s+is\s+the\s+correct\s+answer",
    r"([A-Z])\s*$",
    r"([A-Z])\s*\.",
    r"([A-Z])\s*[^\w]",
)
PIECES = (
    *"ABDKZbx1.:()*_{}$\n\r\t \u00e9\u0131\u0130\u017f\u212a\x1c", "answer", "Answer", "answer is ",
    "answer is (", "Answer:", "ANSWER :", "an\u017fwer:", r"\boxed{", "}", " is the correct answer", "**",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=16).map("".join) | st.text(max_size=30)


@dataclass(frozen=True)
class Given:
    """A table with the rows of the test."""

    table: list[dict[str, Json]]

    def rows(self, split: str) -> Iterator[Row]:
        assert split == "train"
        return iter(self.table)


def by_patterns(patterns: tuple[str, ...], text: str) -> str | None:
    for pattern in patterns:
        found: list[str] = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
        if found:
            return found[-1]
    return None


@settings(max_examples=300)
@given(texts)
def test_each_letter_is_the_one_of_the_public_patterns(text: str) -> None:
    first = re.search(SIMPLE, text)
    assert simple_evals_letter(text) == (first[1] if first else None)
    assert labelled_letter(text) == by_patterns(NINE[:1], text)
    assert nine_pattern_letter(text) == by_patterns(NINE, text)


def rows(count: int) -> list[dict[str, Json]]:
    return [{**ROW, "Record ID": f"rec{number}"} for number in range(count)]


def test_the_prompt_is_the_one_of_simple_evals() -> None:
    item_set = benchmark.load(Given([ROW]))
    (message,) = item_set.prompt(item_set.items[0]).messages
    assert message.role == "user"
    assert message.text == (
        "Answer the following multiple choice question. The last line of your response should be of the"
        " following format: 'Answer: $LETTER' (without quotes) where LETTER is one of ABCD. Think step by"
        " step before answering.\n\nWhich is a metal?\n\nA) Helium\nB) Neon\nC) Iron\nD) Argon"
    )


def test_the_prompt_of_the_nine_patterns_names_four_letters() -> None:
    item_set = ALL["nine_patterns"].load(Given([ROW]))
    assert item_set.prompt(item_set.items[0]).text == (
        "Answer the following multiple choice question. The last line of your response should be in the"
        " following format: 'Answer: A/B/C/D' (e.g. 'Answer: A').\n\nWhich is a metal?\n\n"
        "A) Helium\nB) Neon\nC) Iron\nD) Argon"
    )


def test_a_row_becomes_an_item_under_its_record_id() -> None:
    (item,) = benchmark.load(Given([ROW])).items
    assert (item.id, item.expected, item.category, item.cluster) == ("rec1", "C", "Chemistry", "rec1")
    assert item.fields == {
        "question": "Which is a metal?",
        "choices": ("Helium", "Neon", "Iron", "Argon"),
    }


def test_four_orders_begin_with_the_one_of_the_default() -> None:
    ones, fours = benchmark.load(Given(rows(7))).items, ALL["four_orders"].load(Given(rows(7))).items
    assert fours[:7] == ones
    assert [item.id for item in fours[7:9]] == ["rec0#2", "rec1#2"]
    assert len(fours) == 28
    assert {item.cluster for item in fours} == {f"rec{number}" for number in range(7)}
    assert len({str(item.fields["choices"]) for item in fours if item.cluster == "rec0"}) > 1


def test_equal_options_count_as_the_first_of_them() -> None:
    (item,) = benchmark.load(Given([{**ROW, "Incorrect Answer 1": "Iron"}])).items
    assert item.expected == "B"


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"Question": " "}, "line 1: field 'Question' must be a text that is not empty"),
        ({"Record ID": None}, "field 'Record ID' must be a text"),
        ({"Correct Answer": None}, "field 'Correct Answer' must be a text"),
    ],
)
def test_a_malformed_row_is_named_with_its_field(changes: dict[str, Json], fault: str) -> None:
    with pytest.raises(BadRowError, match=fault):
        benchmark.load(Given([{**ROW, **changes}]))
    with pytest.raises(BadRowError, match="field 'Question' is missing"):
        benchmark.load(Given([{name: value for name, value in ROW.items() if name != "Question"}]))


def test_a_record_that_comes_twice_is_an_error() -> None:
    with pytest.raises(BadRowError, match="line 2: Record ID 'rec1' is repeated"):
        benchmark.load(Given([ROW, ROW]))


async def graded(answer: str, *, by: GpqaDiamond = benchmark) -> Grade:
    item = Item(ItemId("1"), {"question": "?", "choices": ["iron", "neon", "argon", "helium"]}, expected="B")
    return await by.grade(item, Completion(answer), Services())


@pytest.mark.parametrize(
    ("answer", "outcome", "extracted"),
    [
        ("Answer: B", Outcome.CORRECT, "B"),
        ("Answer: $B$", Outcome.CORRECT, "B"),
        ("Answer: B\nAnswer: C", Outcome.CORRECT, "B"),
        ("answer: b", Outcome.INCORRECT, "b"),
        ("Answer: Boron", Outcome.CORRECT, "B"),
        ("**Answer:** B", Outcome.UNPARSED, None),
        ("The answer is (B).", Outcome.UNPARSED, None),
        ("", Outcome.UNPARSED, None),
    ],
)
async def test_verdicts_are_those_of_simple_evals(
    answer: str, outcome: Outcome, extracted: str | None
) -> None:
    grade = await graded(answer)
    assert (grade.outcome, grade.extracted) == (outcome, extracted)
    assert grade.score == (1.0 if outcome is Outcome.CORRECT else 0.0)


async def test_the_robust_reading_stands_beside_where_it_differs() -> None:
    assert (await graded("Answer: B")).details == {}
    assert (await graded("**Answer:** B")).details == {"robust": {"extracted": "B", "is_correct": True}}
    assert (await graded("Answer: B\nAnswer: C")).details == {
        "robust": {"extracted": "C", "is_correct": False}
    }
    robust = ALL["robust"]
    for answer in ("**Answer:** B", "It is neon. The answer is neon.", "\\boxed{\\text{B}}"):
        grade = await graded(answer, by=robust)
        assert (grade.outcome, grade.details) == (Outcome.CORRECT, {}), answer


async def test_the_disagreement_is_a_metric_except_of_the_robust_variant() -> None:
    graded_so = [await graded(answer) for answer in ("Answer: B", "**Answer:** B")]
    results = [
        Result(ItemId(str(number)), 0, one.outcome, one.score, None, None, one.details)
        for number, one in enumerate(graded_so)
    ]
    metrics = benchmark.metrics(results)
    assert (metrics["extraction_disagreement"].value, metrics["robust_accuracy"].value) == (0.5, 1.0)
    assert ALL["robust"].metrics(results) == {}


def test_every_card_says_that_the_data_is_gated() -> None:
    for name, variant in ALL.items():
        assert variant.card.source.gated, name
        assert variant.card.mode == ("official" if name in ("", "four_orders") else "variant")
    assert len({variant.card.grader for variant in ALL.values()}) == len(ALL)


def test_the_demo_items_cover_every_domain_and_letter() -> None:
    items = benchmark.load(benchmark.demo_tables()).items
    assert {item.category for item in items} == {"Biology", "Chemistry", "Physics"}
    assert {item.expected for item in items} == set("ABCD")
    assert "_reason" not in items[0].fields
