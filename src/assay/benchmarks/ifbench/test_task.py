"""The benchmark's demo items, rows, verdicts and figures."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from assay.benchmarks.ifbench.following import RULEBOOK
from assay.benchmarks.ifbench.task import benchmark
from assay.domain.benchmark import (
    Grade,
    HasDemoItems,
    HasMetrics,
    Item,
    ItemId,
    ItemSet,
    Result,
    Row,
    Services,
)
from assay.domain.calls.messages import Completion, Json
from assay.domain.errors import BadRowError
from assay.domain.outcome import Outcome

ROW: Row = {
    "key": "7",
    "prompt": "Name two rivers in two words, without whitespace and with one number.",
    "instruction_id_list": ["format:no_whitespace", "count:numbers"],
    "kwargs": [{"N": None}, {"N": 1.0, "sep": None}],
}


@dataclass(frozen=True, slots=True)
class Given:
    given: tuple[Row, ...]

    def rows(self, split: str) -> Iterator[Row]:
        assert split == "train"
        return iter(self.given)


def loaded(*rows: Row) -> ItemSet:
    return benchmark.load(Given(rows))


async def graded(item: Item, answer: str) -> Grade:
    return await benchmark.grade(item, Completion(answer), Services())


DEMO = benchmark.load(benchmark.demo_tables())
every_demo_item = pytest.mark.parametrize("item", DEMO.items, ids=lambda item: item.id)


@every_demo_item
async def test_the_right_answer_follows_every_instruction_even_strictly(item: Item) -> None:
    grade = await graded(item, DEMO.cue(item).right or "")
    assert grade.score == 1.0, grade.explanation
    strictly = grade.details["strict"]
    assert isinstance(strictly, list)
    assert all(strictly)


@every_demo_item
async def test_wrong_answers_refusals_and_the_prompt_itself_score_nothing(item: Item) -> None:
    for answer in (
        DEMO.cue(item).wrong or "",
        DEMO.prompt(item).text,
        "I cannot help with that.",
        "I am sorry, but I cannot help with that.",
        " \n",
    ):
        assert (await graded(item, answer)).score == 0.0, answer


def test_demo_items_cover_every_instruction_and_some_combine_them() -> None:
    used = [(item.expected or "").removeprefix("follows ").split(", ") for item in DEMO.items]
    assert {name for ids in used for name in ids} == RULEBOOK.ids
    assert sum(len(ids) > 1 for ids in used) >= 10


def test_a_row_becomes_an_item_with_its_key_and_without_empty_arguments() -> None:
    (item,) = loaded(ROW).items
    assert item.id == "7"
    assert item.expected == "follows format:no_whitespace, count:numbers"
    assert item.fields["kwargs"] == [{}, {"N": 1.0}]
    assert loaded({**ROW, "key": 7}).items[0].content_hash == item.content_hash


BAD_VALUES: list[tuple[str, Json, str]] = [
    ("key", "", "'key' must be a text"),
    ("key", None, "'key' must be a text"),
    ("instruction_id_list", ["punctuation:no_comma", "count:numbers"], "no IFBench instruction"),
    ("kwargs", [{}, {}], "'N' is missing"),
]


@pytest.mark.parametrize(("field", "value", "fault"), BAD_VALUES)
def test_a_bad_row_is_named_with_its_field(field: str, value: Json, fault: str) -> None:
    with pytest.raises(BadRowError, match=fault) as caught:
        loaded(ROW, {**ROW, "key": "8", field: value})
    assert (caught.value.line, caught.value.where) == (2, "ifbench, split 'train'")


async def test_loose_decides_and_both_are_told() -> None:
    grade = await graded(loaded(ROW).items[0], "Here you are:\nRhine-1-Po")
    assert (grade.outcome, grade.score) == (Outcome.CORRECT, 1.0)
    assert grade.details == {
        "instructions": ["format:no_whitespace", "count:numbers"],
        "strict": [False, True],
        "loose": [True, True],
    }
    assert grade.explanation == (
        "followed 1 of 2 instructions; not followed: format:no_whitespace (only loosely followed)"
    )


def test_the_four_official_figures() -> None:
    details: dict[str, Json] = {"strict": [True, False], "loose": [True, True]}
    result = Result(ItemId("1"), 0, Outcome.CORRECT, 1.0, "2 instructions", None, details)
    figures = {name: figure.value for name, figure in benchmark.metrics([result]).items()}
    assert figures == {
        "prompt_strict": 0.0,
        "instruction_strict": 0.5,
        "prompt_loose": 1.0,
        "instruction_loose": 1.0,
    }


def test_the_card_says_that_it_is_not_ifeval() -> None:
    assert "older tools gave the name 'ifbench'" in benchmark.card.description


def test_it_offers_figures_and_demo_items() -> None:
    assert isinstance(benchmark, HasMetrics)
    assert isinstance(benchmark, HasDemoItems)
