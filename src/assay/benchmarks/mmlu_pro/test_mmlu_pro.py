"""MMLU-Pro: letters, prompts, rows and verdicts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import cast

import pytest

from assay.benchmarks.mmlu_pro.task import MmluPro, benchmark
from assay.domain.benchmark import Grade, HasDemoItems, HasVariants, Item, ItemId, ItemSet, Row, Services
from assay.domain.calls.messages import Completion, Generation, Json
from assay.domain.errors import BadRowError, DataMissingError, InvalidValueError
from assay.domain.outcome import Outcome

ALL = {"": benchmark, **benchmark.variants}
CATEGORIES = {
    "biology", "business", "chemistry", "computer science", "economics", "engineering", "health", "history",
    "law", "math", "other", "philosophy", "physics", "psychology",
}  # fmt: skip
ROW: dict[str, Json] = {
    "question_id": 70,
    "question": "Which letter comes third?",
    "options": ["B", "D", "C", "N/A", "E"],
    "answer": "C",
    "answer_index": 2,
    "cot_content": "",
    "category": "other",
    "src": "own",
}
EXAMPLE: dict[str, Json] = {
    **ROW,
    "question_id": 1,
    "question": "Which is first?",
    "options": ["A", "B"],
    "answer": "A",
    "answer_index": 0,
    "cot_content": "A: Let's think step by step. It is A. The answer is (A).",
}


@dataclass(frozen=True)
class Given:
    """Tables with the rows of the test."""

    test: list[dict[str, Json]]
    validation: list[dict[str, Json]] | None = None

    def rows(self, split: str) -> Iterator[Row]:
        rows = self.test if split == "test" else self.validation
        if rows is None:
            raise DataMissingError(f"no file for {split!r}")
        return iter(rows)


def demo_items(name: str = "") -> ItemSet:
    return ALL[name].load(ALL[name].demo_tables())


async def graded(answer: str, *, by: MmluPro = benchmark, expected: str = "C", options: int = 10) -> Grade:
    item = Item(
        ItemId("1"),
        {"question": "?", "options": ["x"] * options, "answer_index": "ABCDEFGHIJ".index(expected)},
        expected=expected,
    )
    return await by.grade(item, Completion(answer), Services())


@pytest.mark.parametrize(
    ("answer", "outcome", "extracted"),
    [
        ("The answer is (C).", Outcome.CORRECT, "C"),
        ("Answer: C", Outcome.CORRECT, "C"),
        ("The answer is (D).", Outcome.INCORRECT, "D"),
        ("no idea", Outcome.UNPARSED, None),
        ("", Outcome.UNPARSED, None),
    ],
)
async def test_verdicts(answer: str, outcome: Outcome, extracted: str | None) -> None:
    grade = await graded(answer)
    assert (grade.outcome, grade.extracted) == (outcome, extracted)
    assert grade.score == (1.0 if outcome is Outcome.CORRECT else 0.0)


async def test_a_letter_without_an_option_is_wrong() -> None:
    grade = await graded("The answer is (J).", options=4)
    assert (grade.outcome, grade.extracted) == (Outcome.INCORRECT, "J")


async def test_reasoning_is_not_graded() -> None:
    item = demo_items().items[0]
    completion = Completion("no idea", reasoning=f"The answer is ({item.expected}).")
    assert (await benchmark.grade(item, completion, Services())).outcome is Outcome.UNPARSED


async def test_bold_is_taken_out_of_a_reply_as_the_api_script_does_before_it_keeps_it() -> None:
    reply = "The answer is **(C)**, for B is wrong"
    assert (await graded(demo_items().kept(reply))).extracted == "C"
    assert (await graded(reply)).extracted == "B"
    local = benchmark.variants["local"]
    assert local.load(local.demo_tables()).kept(reply) == reply


async def test_zero_shot_reads_the_last_line() -> None:
    zero_shot = benchmark.variants["zero_shot"]
    assert (await graded("Answer: A\nAnswer: C", by=zero_shot)).outcome is Outcome.CORRECT
    assert (await graded("answer: c", by=zero_shot)).extracted == "C"


@pytest.mark.parametrize(
    ("options", "letter"), [(3, "B"), (4, "D"), (5, "D"), (6, "D"), (7, "D"), (8, "G"), (9, "G"), (10, "G")]
)
async def test_the_guess_depends_on_the_number_of_options_alone(options: int, letter: str) -> None:
    guessing = benchmark.variants["random_guess"]
    hit = await graded("no idea", by=guessing, expected=letter, options=options)
    assert (hit.outcome, hit.score, hit.extracted, hit.details) == (
        Outcome.CORRECT,
        1.0,
        None,
        {"guess": letter},
    )
    missed = await graded("no idea", by=guessing, expected="A", options=options)
    assert (missed.outcome, missed.score, missed.details) == (Outcome.UNPARSED, 0.0, {"guess": letter})


async def test_an_answer_with_a_letter_is_never_guessed() -> None:
    guessing = benchmark.variants["random_guess"]
    assert (await graded("The answer is (B).", by=guessing, expected="G")).outcome is Outcome.INCORRECT


def test_the_five_shot_prompt_is_the_one_of_the_api_script() -> None:
    item_set = benchmark.load(Given([ROW], [EXAMPLE, {**EXAMPLE, "question_id": 2, "category": "law"}]))
    (message,) = item_set.prompt(item_set.items[0]).messages
    assert message.role == "user"
    assert message.text == (
        "The following are multiple choice questions (with answers) about other. Think step by step and then"
        ' output the answer in the format of "The answer is (X)" at the end.\n\n'
        "Question: Which is first?\nOptions: A. A\nB. B\n"
        "Answer: Let's think step by step. It is A. The answer is (A).\n\n"
        "Question: Which letter comes third?\nOptions: A. B\nB. D\nC. C\nD. E\n"
        "Answer: Let's think step by step.\n\n"
    )


def test_a_run_may_ask_for_fewer_examples() -> None:
    tables = Given([ROW], [{**EXAMPLE, "question_id": number} for number in range(5)])

    def prompt(asked: MmluPro) -> str:
        item_set = asked.load(tables)
        return item_set.prompt(item_set.items[0]).text

    assert [prompt(benchmark.with_examples(count)).count("Question:") for count in (0, 1, 5)] == [1, 2, 6]
    assert prompt(benchmark.with_examples(5)) == prompt(benchmark)
    with pytest.raises(InvalidValueError, match="must be 0 to 5, not 6"):
        benchmark.with_examples(6)
    with pytest.raises(InvalidValueError, match="'mmlu_pro:zero_shot' shows no examples"):
        benchmark.variants["zero_shot"].with_examples(1)


def test_the_local_prompt_is_the_one_of_the_local_script() -> None:
    examples = [{**EXAMPLE, "question_id": number} for number in range(7)]
    item_set = benchmark.variants["local"].load(Given([ROW], examples))
    text = item_set.prompt(item_set.items[0]).text
    example = (
        "Question:\nWhich is first?\nOptions:\nA. A\nB. B\n"
        "Answer: Let's think step by step. It is A. The answer is (A).\n\n"
    )
    assert text == (
        "The following are multiple choice questions (with answers) about other. Think step by step and then"
        ' finish your answer with "the answer is (X)" where X is the correct letter choice.\n\n\n\n'
        + example
        * 5
        + "Question:\nWhich letter comes third?\nOptions:\nA. B\nB. D\nC. C\nD. E\n"
        "Answer: Let's think step by step."
    )


def test_the_zero_shot_prompt_needs_no_examples() -> None:
    item_set = benchmark.variants["zero_shot"].load(Given([ROW]))
    assert item_set.prompt(item_set.items[0]).text == (
        "Answer the following multiple choice question. The last line of your response should be in the"
        " following format: 'Answer: A/B/C/D/E/F/G/H/I/J' (e.g. 'Answer: A').\n\n"
        "Which letter comes third?\n\nA) B\nB) D\nC) C\nD) E"
    )


def test_missing_examples_are_reported_with_a_way_out_and_only_when_a_prompt_is_wanted() -> None:
    item_set = benchmark.load(Given([ROW]))
    with pytest.raises(DataMissingError, match=r"no file for 'validation'.*mmlu_pro:zero_shot"):
        item_set.prompt(item_set.items[0])


def test_a_subject_without_examples_is_an_error_and_not_a_shorter_prompt() -> None:
    item_set = benchmark.load(Given([ROW], [{**EXAMPLE, "category": "law"}]))
    with pytest.raises(DataMissingError, match="no example for 'other'"):
        item_set.prompt(item_set.items[0])


def test_a_row_becomes_an_item() -> None:
    (item,) = benchmark.load(Given([ROW])).items
    assert (item.id, item.expected, item.category) == ("70", "C", "other")
    assert item.fields == {
        "question": "Which letter comes third?",
        "options": ("B", "D", "C", "E"),
        "answer_index": 2,
    }


def test_the_letter_decides_where_the_index_differs() -> None:
    (item,) = benchmark.load(Given([{**ROW, "answer_index": 1}])).items
    assert item.expected == "C"


@pytest.mark.parametrize(
    ("field", "value", "fault"),
    [
        ("question_id", None, "must be a whole number or a text"),
        ("question_id", True, "must be a whole number or a text"),
        ("question_id", 7.5, "must be a whole number or a text"),
        ("question", "  ", "must be a text that is not empty"),
        ("question", 5, "must be a text"),
        ("options", "ABCD", "must be a list of texts"),
        ("options", {"A": "x"}, "must be a list of texts"),
        ("options", ["x", 5], "must hold texts only"),
        ("options", ["x"], "must hold 2 to 10 options, not 1"),
        ("options", ["x", "N/A"], "must hold 2 to 10 options, not 1"),
        ("options", ["x"] * 11, "must hold 2 to 10 options, not 11"),
        ("answer", "E", "must be one of the letters ABCD, not 'E'"),
        ("answer", "AB", "must be one of the letters ABCD, not 'AB'"),
        ("answer", "c", "must be one of the letters ABCD, not 'c'"),
        ("answer_index", "2", "must be a whole number, not '2'"),
        ("category", "", "must be a text"),
        ("cot_content", None, "must be a text"),
    ],
)
def test_a_malformed_row_is_named_with_its_field(field: str, value: Json, fault: str) -> None:
    with pytest.raises(BadRowError, match=rf"split 'test' of mmlu_pro, line 2: field '{field}' {fault}"):
        benchmark.load(Given([ROW, {**ROW, "question_id": 71, field: value}]))


@pytest.mark.parametrize(
    "field", ["question_id", "question", "options", "answer", "answer_index", "category"]
)
def test_a_missing_field_is_named(field: str) -> None:
    row = {name: value for name, value in ROW.items() if name != field}
    with pytest.raises(BadRowError, match=f"line 1: field '{field}' is missing"):
        benchmark.load(Given([row]))


def test_a_question_that_comes_twice_is_an_error() -> None:
    with pytest.raises(BadRowError, match="line 2: question_id '70' is repeated"):
        benchmark.load(Given([ROW, ROW]))


def test_the_cue_of_an_official_row_is_in_the_form_asked_for() -> None:
    item_set = benchmark.load(Given([ROW]))
    cue = item_set.cue(item_set.items[0])
    assert (cue.right, cue.wrong) == ("The answer is (C).", "The answer is (A).")
    assert cue.choices == ("A", "B", "C", "D")
    zero_shot = benchmark.variants["zero_shot"].load(Given([{**ROW, "answer": "A"}]))
    cue = zero_shot.cue(zero_shot.items[0])
    assert (cue.right, cue.wrong) == ("Answer: A", "Answer: B")


def test_the_demo_items_cover_every_subject() -> None:
    items = demo_items().items
    assert len(items) >= 28
    counts = {category: sum(item.category == category for item in items) for category in CATEGORIES}
    assert min(counts.values()) >= 2
    assert {item.category for item in items} == CATEGORIES
    assert {len(cast("list[str]", item.fields["options"])) for item in items} >= {4, 10}
    assert "_right" not in items[0].fields


@pytest.mark.parametrize("name", ALL)
async def test_right_and_wrong_demo_answers_are_graded_so(name: str) -> None:
    item_set = demo_items(name)
    for item in item_set.items:
        cue = item_set.cue(item)
        assert cue.right
        assert cue.wrong
        right = await ALL[name].grade(item, Completion(cue.right), Services())
        wrong = await ALL[name].grade(item, Completion(cue.wrong), Services())
        assert (right.outcome, wrong.outcome) == (Outcome.CORRECT, Outcome.INCORRECT), item.id
        choices = [await ALL[name].grade(item, Completion(choice), Services()) for choice in cue.choices]
        assert sum(grade.score for grade in choices) == 1


@pytest.mark.parametrize("name", ALL)
async def test_replies_that_choose_nothing_stay_below_the_chance_level(name: str) -> None:
    item_set = demo_items(name)
    replies: dict[str, Callable[[Item], str]] = {
        "echo": lambda item: item_set.prompt(item).text,
        "refusal": lambda _: "I'm sorry, but I can't help with that.",
    }
    for reply in replies.values():
        grades = [await ALL[name].grade(item, Completion(reply(item)), Services()) for item in item_set.items]
        assert sum(grade.score for grade in grades) / len(grades) <= ALL[name].card.chance
    nothing = [await ALL[name].grade(item, Completion(""), Services()) for item in item_set.items]
    assert sum(grade.score for grade in nothing) == 0


def test_the_variants_have_their_own_cards() -> None:
    assert isinstance(benchmark, HasVariants)
    assert isinstance(benchmark, HasDemoItems)
    assert set(benchmark.variants) == {"zero_shot", "local", "random_guess", "robust"}
    for name, variant in benchmark.variants.items():
        assert variant.card.name == f"mmlu_pro:{name}"
        assert variant.card.source == benchmark.card.source
        assert variant.card.grader != benchmark.card.grader
    assert benchmark.card.mode == "official"
    assert benchmark.card.generation == Generation(temperature=0.0, top_p=1.0, max_tokens=4000)
    assert replace(benchmark.variants["local"].card.generation, top_p=None).stop == ("Question:",)
