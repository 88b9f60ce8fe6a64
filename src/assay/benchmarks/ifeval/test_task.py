"""The benchmark's demo items, rows, verdicts and figures."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from assay.benchmarks.ifeval.following import RULEBOOK
from assay.benchmarks.ifeval.task import benchmark
from assay.domain.benchmark import (
    Cue,
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
from assay.domain.calls.messages import Completion, Json, Message
from assay.domain.errors import BadRowError, DataMissingError
from assay.domain.outcome import Outcome
from assay.domain.stats import score_estimate

ROW: Row = {
    "key": 7,
    "prompt": "Name two rivers, without commas, in fewer than 9 words.",
    "instruction_id_list": ["punctuation:no_comma", "length_constraints:number_words"],
    "kwargs": [{}, {"relation": "less than", "num_words": 9}],
}


@dataclass(frozen=True, slots=True)
class Given:
    """Tables with the rows that a test gives."""

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
async def test_the_right_answer_follows_every_instruction(item: Item) -> None:
    grade = await graded(item, DEMO.cue(item).right or "")
    assert (grade.outcome, grade.score) == (Outcome.CORRECT, 1.0), grade.explanation


@every_demo_item
async def test_the_wrong_answer_breaks_an_instruction_even_loosely(item: Item) -> None:
    grade = await graded(item, DEMO.cue(item).wrong or "")
    assert (grade.outcome, grade.score) == (Outcome.INCORRECT, 0.0)
    assert False in as_bools(grade, "loose")


@every_demo_item
@pytest.mark.parametrize(
    "answer", ["", " \n", "I cannot help with that.", "I am sorry, but I cannot help with that."]
)
async def test_silence_and_refusals_score_nothing(item: Item, answer: str) -> None:
    assert (await graded(item, answer)).score == 0.0


@every_demo_item
async def test_handing_the_prompt_back_scores_nothing(item: Item) -> None:
    grade = await graded(item, DEMO.prompt(item).text)
    assert grade.score == 0.0
    assert False in as_bools(grade, "loose")


def test_demo_items_cover_every_instruction_and_mostly_combine_them() -> None:
    used = [(item.expected or "").removeprefix("follows ").split(", ") for item in DEMO.items]
    assert {name for ids in used for name in ids} == RULEBOOK.ids
    assert len(used) >= 30
    assert sum(len(ids) > 1 for ids in used) > len(used) / 2


def test_demo_items_have_the_split_of_the_official_rows_alone() -> None:
    with pytest.raises(DataMissingError, match="'test'"):
        benchmark.demo_tables().rows("test")


def test_a_row_becomes_an_item_with_the_prompt_as_it_is() -> None:
    item_set = loaded(ROW)
    (item,) = item_set.items
    assert item.id == "7"
    assert item_set.prompt(item).messages == (
        Message("user", "Name two rivers, without commas, in fewer than 9 words."),
    )
    assert item.expected == "follows punctuation:no_comma, length_constraints:number_words"
    assert item.category == "2 instructions"
    assert item_set.cue(item) == Cue()


def test_arguments_without_a_value_count_as_absent() -> None:
    filled: Row = {
        **ROW,
        "kwargs": [
            {"relation": None, "num_words": None, "keywords": None},
            {"relation": "less than", "num_words": 9, "keywords": None},
        ],
    }
    missing: Row = {**ROW, "kwargs": [None, {"relation": "less than", "num_words": 9}]}
    plain = loaded(ROW).items[0].content_hash
    assert loaded(filled).items[0].content_hash == plain
    assert loaded(missing).items[0].content_hash == plain


BAD_VALUES: list[tuple[str, Json, str]] = [
    ("key", "7", "'key' must be a whole number"),
    ("key", True, "'key' must be a whole number"),
    ("prompt", " ", "'prompt' must be a text"),
    ("prompt", None, "'prompt' must be a text"),
    ("instruction_id_list", "punctuation:no_comma", "'instruction_id_list' must be a list"),
    ("instruction_id_list", [], "'instruction_id_list' must name at least one"),
    ("instruction_id_list", ["punctuation:no_coma", "startend:quotation"], "'punctuation:no_coma'"),
    ("kwargs", None, "'kwargs' must be a list"),
    ("kwargs", [{}], "'kwargs' must have an entry for each of 2, not 1"),
    ("kwargs", [{}, 9], "'kwargs' must hold objects, not 9"),
    ("kwargs", [{}, {"relation": "less than"}], "'num_words' is missing"),
    ("kwargs", [{}, {"relation": "about", "num_words": 9}], "'relation' must be one of"),
    ("_right", 1, "'_right' must be a text"),
]


@pytest.mark.parametrize(("field", "value", "fault"), BAD_VALUES)
def test_a_bad_row_is_named_with_its_field(field: str, value: Json, fault: str) -> None:
    with pytest.raises(BadRowError, match=fault) as caught:
        loaded(ROW, {**ROW, "key": 8, field: value})
    assert caught.value.line == 2
    assert caught.value.where == "ifeval, split 'train'"


@pytest.mark.parametrize(
    ("answer", "strictly", "loosely", "explanation"),
    [
        ("Rhine and Po", [True, True], [True, True], "followed all 2 instructions"),
        (
            "Rhine, Po",
            [False, True],
            [False, True],
            "followed 1 of 2 instructions; not followed: punctuation:no_comma",
        ),
        (
            "Sure, here you go:\nRhine and Po",
            [False, True],
            [True, True],
            "followed 1 of 2 instructions; not followed: punctuation:no_comma (only loosely followed)",
        ),
        (
            "",
            [False, False],
            [False, False],
            (
                "followed 0 of 2 instructions; "
                "not followed: punctuation:no_comma, length_constraints:number_words"
            ),
        ),
    ],
)
async def test_verdicts_come_per_instruction_and_in_words(
    answer: str, strictly: list[bool], loosely: list[bool], explanation: str
) -> None:
    grade = await graded(loaded(ROW).items[0], answer)
    assert grade.details == {
        "instructions": ["punctuation:no_comma", "length_constraints:number_words"],
        "strict": strictly,
        "loose": loosely,
    }
    assert grade.score == float(all(strictly))
    assert grade.extracted is None
    assert grade.explanation == explanation


def test_the_four_official_figures() -> None:
    figures = benchmark.metrics(
        [
            result("1", [True, True, True], [True, True, True]),
            result("2", [True, False], [True, True]),
            result("3", [False], [False]),
            result("4", [True, False], [True, False]),
        ]
    )
    assert {name: round(figure.value, 4) for name, figure in figures.items()} == {
        "prompt_strict": 1 / 4,
        "instruction_strict": 5 / 8,
        "prompt_loose": 2 / 4,
        "instruction_loose": 6 / 8,
    }
    assert figures["prompt_strict"] == score_estimate([1.0, 0.0, 0.0, 0.0])
    assert (figures["instruction_strict"].n, figures["instruction_strict"].clusters) == (8, 4)


def test_repeats_of_an_item_are_one_cluster_in_every_figure() -> None:
    figures = benchmark.metrics(
        [result("1", [True], [True]), result("1", [False], [False]), result("2", [True], [True])]
    )
    assert {figure.clusters for figure in figures.values()} == {2}


def test_a_reply_that_was_not_graded_followed_none_of_its_instructions() -> None:
    refused = Result(ItemId("2"), 0, Outcome.REFUSED, 0.0, "3 instructions", None, {})
    figures = benchmark.metrics([result("1", [True], [True]), refused])
    assert figures["prompt_loose"].value == 1 / 2
    assert figures["instruction_strict"].value == 1 / 4


def test_no_results_have_no_figures() -> None:
    assert benchmark.metrics([]) == {}


def test_it_offers_figures_and_demo_items() -> None:
    assert isinstance(benchmark, HasMetrics)
    assert isinstance(benchmark, HasDemoItems)


def result(item_id: str, strictly: list[bool], loosely: list[bool]) -> Result:
    count = len(strictly)
    details: dict[str, Json] = {
        "instructions": ["startend:quotation"] * count,
        "strict": strictly,
        "loose": loosely,
    }
    outcome = Outcome.CORRECT if all(strictly) else Outcome.INCORRECT
    return Result(ItemId(item_id), 0, outcome, float(all(strictly)), f"{count} instructions", None, details)


def as_bools(grade: Grade, mode: str) -> list[Json]:
    verdicts = grade.details[mode]
    assert isinstance(verdicts, list)
    return verdicts
