"""AIME 2025: answers, prompts, rows and verdicts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.aime_2025.extraction import aa_answer, gpt_oss_answer, matharena_answer
from assay.benchmarks.aime_2025.task import benchmark
from assay.domain.benchmark import Grade, Item, ItemId, Row, Services
from assay.domain.calls.messages import Completion, Json
from assay.domain.errors import BadRowError, GraderError
from assay.domain.outcome import Outcome

ALL = {"": benchmark, **benchmark.variants}
ROW: dict[str, Json] = {"id": "7", "problem": "What is $20+4$?", "answer": "24"}
MATHARENA = "Put your final answer within \\boxed{}.\nThe answer is an integer between 0 and 999 inclusive."
AA = (
    "Solve the following math problem step by step. Put your answer inside \\boxed{}.",
    "Remember to put your answer inside \\boxed{}.",
)
PIECES = (
    *"ab1 2,.{}\n\\$\u0663", "boxed{", r"\boxed{", "framebox{", r"\fbox{", "fbox{", "boxed{}", "12", "024",
    "box{", r"\Boxed{",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)


@dataclass(frozen=True)
class Given:
    """A table with the rows of the test."""

    table: list[dict[str, Json]]

    def rows(self, split: str) -> Iterator[Row]:
        assert split == "test"
        return iter(self.table)


def by_the_pattern_of_gpt_oss(text: str) -> str:
    boxes: list[tuple[str, str]] = re.findall(r"boxed{(.*?)}|framebox{(.*?)}", text, re.DOTALL)
    filled = [content for box in boxes for content in box if content]
    if filled:
        return filled[-1].split(",")[-1].strip()
    integers: list[str] = re.findall(r"\d+", text)
    return integers[-1] if integers else ""


def by_the_greedy_pattern(text: str) -> str | None:
    found = re.search(r"(?s)(?i)\\boxed{((?!.*\\boxed{).*)}", text)
    return found[1] if found else None


def balanced_boxes(text: str, opening: str) -> list[tuple[str, str]]:
    """Every box whose braces balance, with what is in it, from left to right and none inside another."""
    found: list[tuple[str, str]] = []
    position = 0
    while (start := re.compile(opening).search(text, position)) is not None:
        depth, end = 1, start.end()
        while end < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        position = end if not depth else start.start() + 1
        if not depth:
            found.append((text[start.start() : end], text[start.end() : end - 1]))
    return found


@settings(max_examples=400)
@given(texts)
def test_each_answer_is_the_one_of_the_public_patterns(text: str) -> None:
    assert (gpt_oss_answer(text) or "") == by_the_pattern_of_gpt_oss(text)
    assert aa_answer(text) == by_the_greedy_pattern(text)


@settings(max_examples=400)
@given(texts)
def test_the_last_balanced_box_is_found(text: str) -> None:
    boxes = balanced_boxes(text, r"(?:boxed|fbox)\{")
    content = boxes[-1][1] if boxes else None
    for whole, inner in balanced_boxes(content or "", r"\\(?:boxed|fbox)\{"):
        content = (content or "").replace(whole, inner)
    assert matharena_answer(text) == content


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (r"\boxed{1} and \boxed{\boxed{2}}", "2"),
        (r"\boxed{a \fbox{b} c}", "a b c"),
        (r"\boxed{\boxed{\boxed{7}}}", r"\boxed{7}"),
        (r"\boxed{1", None),
        (r"\boxed{1 \boxed{2}", "2"),
        (r"\boxed{1} {", "1"),
        (r"} \boxed{1}", "1"),
    ],
)
def test_boxes_in_boxes_are_opened(text: str, answer: str | None) -> None:
    assert matharena_answer(text) == answer


def test_boxes_in_a_box_longer_than_any_answer_stay() -> None:
    """To replace each of them in all of it would take quadratic time."""
    short, long = (r"\boxed{1}" * count for count in (4_000, 5_000))
    assert matharena_answer(rf"\boxed{{{short}}}") == "1" * 4_000
    assert matharena_answer(rf"\boxed{{{long}}}") == long


@pytest.mark.parametrize(
    ("text", "answer"), [(r"\Boxed{610}", "610"), (r"\boxed{1} \boxed{", None), (r"\boxed{1} \BOXED{2}", "2")]
)
def test_the_greedy_box_is_the_last_in_any_case(text: str, answer: str | None) -> None:
    assert aa_answer(text) == answer


@pytest.mark.parametrize(
    ("name", "prompt"),
    [
        ("", "\nWhat is $20+4$?\nPlease reason step by step, and put your final answer within \\boxed{}.\n"),
        ("matharena", f"{MATHARENA}\n\nWhat is $20+4$?"),
        ("aa", f"{AA[0]}\n\nWhat is $20+4$?\n\n{AA[1]}"),
    ],
)
def test_the_prompts_are_those_of_the_harnesses(name: str, prompt: str) -> None:
    item_set = ALL[name].load(Given([ROW]))
    assert item_set.prompt(item_set.items[0]).text == prompt


@pytest.mark.parametrize(
    ("row", "item_id", "expected"),
    [
        ({"id": "aime25-3", "problem": "?", "expected_answer": "70"}, "aime25-3", "70"),
        ({"id": 3, "problem": "?", "answer": 70}, "3", "70"),
        ({"problem_idx": 3, "problem": "?", "answer": 70}, "3", "70"),
        ({"question": "?", "answer": "336^\\circ"}, "0", "336"),
        ({"question": "?", "answer": "016"}, "0", "16"),
        ({"question": "?", "answer": "0"}, "0", "0"),
    ],
)
def test_every_published_layout_is_read(row: dict[str, Json], item_id: str, expected: str) -> None:
    (item,) = benchmark.load(Given([row])).items
    assert (item.id, item.expected, item.fields) == (item_id, expected, {"problem": "?"})


def test_rows_without_ids_are_counted() -> None:
    table: list[dict[str, Json]] = [{"question": str(number), "answer": number} for number in range(3)]
    assert [item.id for item in benchmark.load(Given(table)).items] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"problem": ""}, "line 1: field 'problem' or 'question' must be a text"),
        ({"answer": "1000"}, "must be a whole number from 0 to 999"),
        ({"answer": None}, "field 'answer' or 'expected_answer'"),
        ({"answer": "many"}, "must be a whole number"),
    ],
)
def test_a_malformed_row_is_named_with_its_field(changes: dict[str, Json], fault: str) -> None:
    with pytest.raises(BadRowError, match=fault):
        benchmark.load(Given([{**ROW, **changes}]))


def test_a_problem_that_comes_twice_is_an_error() -> None:
    with pytest.raises(BadRowError, match="line 2: id '7' is repeated"):
        benchmark.load(Given([ROW, ROW]))


async def graded(answer: str, *, by: str = "", expected: str | None = "24") -> Grade:
    return await ALL[by].grade(Item(ItemId("1"), {}, expected=expected), Completion(answer), Services())


@pytest.mark.parametrize(
    ("answer", "outcome", "extracted"),
    [
        (r"\boxed{24}", Outcome.CORRECT, "24"),
        (r"\boxed{024}", Outcome.CORRECT, "024"),
        (r"\boxed{25}", Outcome.INCORRECT, "25"),
        (r"It is \boxed{\text{24}}", Outcome.UNPARSED, r"\text{24"),
        (r"\boxed{24.0}", Outcome.UNPARSED, "24.0"),
        (r"\boxed{24^\circ}", Outcome.UNPARSED, r"24^\circ"),
        ("so 24", Outcome.CORRECT, "24"),
        ("no number", Outcome.UNPARSED, None),
        ("\\boxed{ }", Outcome.UNPARSED, None),
        ("9" * 5_000, Outcome.UNPARSED, "9" * 5_000),
        ("", Outcome.UNPARSED, None),
    ],
)
async def test_verdicts_are_those_of_gpt_oss(answer: str, outcome: Outcome, extracted: str | None) -> None:
    grade = await graded(answer)
    assert (grade.outcome, grade.extracted) == (outcome, extracted)
    assert grade.score == (1.0 if outcome is Outcome.CORRECT else 0.0)


@pytest.mark.parametrize("name", ["matharena", "aa"])
@pytest.mark.parametrize("content", ["24", "024", "24.0", r"\frac{48}{2}", "x=24", r"24^\circ", r"\text{24}"])
async def test_other_harnesses_read_what_is_in_the_box(name: str, content: str) -> None:
    assert (await graded(rf"\boxed{{{content}}}", by=name)).outcome is Outcome.CORRECT
    assert (await graded("so 24", by=name)).outcome is Outcome.UNPARSED


async def test_the_robust_reading_stands_beside_where_it_differs() -> None:
    assert (await graded(r"\boxed{024}")).details == {}
    beside = {"robust": {"extracted": "24", "is_correct": True}}
    assert (await graded(r"\boxed{24^\circ}")).details == beside
    assert (await graded("The answer is 24. I checked it 3 times.")).details == beside
    grade = await graded("The answer is 24. I checked it 3 times.", by="robust")
    assert (grade.outcome, grade.extracted, grade.details) == (Outcome.CORRECT, "24", {})


async def test_an_item_without_a_whole_number_is_at_fault_itself() -> None:
    with pytest.raises(GraderError, match="expects None"):
        await graded("24", expected=None)


def test_the_card_names_the_real_set() -> None:
    assert (benchmark.card.size, benchmark.card.source.repository) == (30, "math-ai/aime25")
    assert not benchmark.card.source.gated
    assert len({variant.card.grader for variant in ALL.values()}) == len(ALL) == 4
