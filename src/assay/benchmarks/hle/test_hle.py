"""Humanity's Last Exam: prompts, judgements, calibration, exact match."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.benchmarks.hle.calibration import calibration_error, official_calibration_error
from assay.benchmarks.hle.exact import bare
from assay.benchmarks.hle.judging import judge_question, read_verdict
from assay.benchmarks.hle.task import benchmark
from assay.domain.benchmark import Cue, Item, ItemId, Panel, Result, Row, Services
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.errors import BadRowError, GraderError
from assay.domain.outcome import Outcome
from tests.builders import ListTables

PICTURE = "data:image/png;base64,AAAA"
ROW: Row = {
    "id": "x1",
    "question": "How many? {response}",
    "image": "",
    "answer": "12",
    "answer_type": "exactMatch",
    "category": "Math",
}
TEXT_ONLY = benchmark.variants["text_only"]
EXACT = benchmark.variants["exact_match"]


def items(*rows: Row) -> tuple[Item, ...]:
    return tuple(benchmark.load(ListTables({"test": rows})).items)


def prompt_of(row: Row) -> Prompt:
    item_set = benchmark.load(ListTables({"test": [row]}))
    return item_set.prompt(item_set.items[0])


@dataclass
class OneJudge:
    reply: str
    model: str = "judge"
    prompts: list[Prompt] = field(default_factory=list[Prompt])
    settings: list[Generation] = field(default_factory=list[Generation])

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        _ = cue, vote
        self.prompts.append(prompt)
        self.settings.append(generation)
        return Completion(self.reply)


def reply(correct: str = "yes", confidence: int = 80) -> str:
    said = {"extracted_final_answer": "12", "reasoning": "same", "correct": correct, "confidence": confidence}
    return json.dumps(said | {"strict": True})


def test_the_prompt_asks_for_three_lines_and_sends_parts() -> None:
    system, user = prompt_of(ROW).messages
    assert system.role == "system"
    assert system.text.startswith("Your response should be in the following format:\nExplanation: {your")
    assert system.text.endswith("Confidence: {your confidence score between 0% and 100% for your answer}")
    assert user.to_json() == {"role": "user", "content": [{"type": "text", "text": ROW["question"]}]}


def test_an_image_is_a_part_of_the_message() -> None:
    parts = prompt_of({**ROW, "image": PICTURE}).messages[1].to_json()["content"]
    assert parts == [
        {"type": "text", "text": ROW["question"]},
        {"type": "image_url", "image_url": {"url": PICTURE}},
    ]


def test_text_only_leaves_out_questions_with_an_image() -> None:
    tables = ListTables(
        {"test": [ROW, {**ROW, "id": "x2", "image": PICTURE}, {**ROW, "id": "x3", "image": None}]}
    )
    assert [item.id for item in benchmark.load(tables).items] == ["x1", "x2", "x3"]
    assert [item.id for item in TEXT_ONLY.load(tables).items] == ["x1", "x3"]


@pytest.mark.parametrize(
    "row",
    [
        {**ROW, "id": ""},
        {**ROW, "question": None},
        {**ROW, "answer": 12},
        {**ROW, "image": "http://example.org/picture.png"},
        {**ROW, "image": 5},
    ],
)
def test_a_row_that_cannot_be_used_is_named(row: Row) -> None:
    with pytest.raises(BadRowError, match="split 'test' of hle, line 2"):
        items({**ROW, "id": "first"}, row)


def test_the_same_id_twice_is_an_error() -> None:
    with pytest.raises(BadRowError, match="'x1' is repeated"):
        items(ROW, ROW)


async def test_the_judge_is_asked_in_the_official_words_and_form() -> None:
    [item] = items(ROW)
    judge = OneJudge(reply())
    grade = await benchmark.grade(item, Completion("Answer: {question}"), Services(panel=Panel((judge,))))
    [prompt] = judge.prompts
    [message] = prompt.messages
    assert message.role == "user"
    assert "\n\n[question]: How many? {response}\n\n[response]: Answer: {question}\n\n" in message.text
    assert "\n\n[correct_answer]: 12\n\nreasoning: " in message.text
    assert message.text.endswith("Put 100 if there is no confidence score available.")
    schema = prompt.extra["response_format"]
    assert schema == json.loads(json.dumps(schema))
    assert json.dumps(schema).count('"strict"') == 3
    assert judge.settings == [Generation(max_tokens=4096)]
    assert (grade.outcome, grade.score, grade.extracted) == (Outcome.CORRECT, 1.0, "12")
    assert grade.details == {
        "correct_answer": "12",
        "model_answer": "12",
        "reasoning": "same",
        "correct": "yes",
        "confidence": 80,
    }


async def test_an_empty_answer_is_not_judged() -> None:
    [item] = items(ROW)
    judge = OneJudge(reply())
    grade = await benchmark.grade(item, Completion(" \n"), Services(panel=Panel((judge,))))
    assert (grade.outcome, grade.score) == (Outcome.INCORRECT, 0.0)
    assert judge.prompts == []


@pytest.mark.parametrize(
    ("said", "confidence"),
    [
        (reply("no", 0), 0),
        ("correct: no\nconfidence: 35", 35),
        ("correct: no\nconfidence: 35%", 35),
        ("correct: no\nconfidence: **97.5 %**", 97),
        ("correct: no", 100),
        ('{"correct": "no"}', 100),
    ],
)
def test_the_confidence_is_read_in_every_form(said: str, confidence: int) -> None:
    verdict_ = read_verdict(said, "12")
    assert not verdict_.is_correct
    assert verdict_.details["confidence"] == confidence


@pytest.mark.parametrize(
    "said", ["INCORRECT", "It is correct.", reply("maybe"), reply("yes", 101), reply("yes", -1)]
)
def test_a_reply_without_a_verdict_is_none(said: str) -> None:
    with pytest.raises(GraderError):
        read_verdict(said, "12")


def test_the_cue_of_a_judge_carries_the_stated_confidence() -> None:
    cue = judge_question("?", "Answer: 7\n**Confidence:** 65%", "7").cue
    assert json.loads(cue.right or "")["confidence"] == 65
    assert json.loads(cue.wrong or "")["correct"] == "no"
    assert cue.judged == ("Answer: 7\n**Confidence:** 65%", "7")


def result(number: int, confidence: int, *, is_right: bool) -> Result:
    outcome = Outcome.CORRECT if is_right else Outcome.INCORRECT
    details = {"confidence": confidence}
    return Result(ItemId(str(number)), 0, outcome, float(is_right), None, None, details)


def test_metrics_are_the_calibration_errors() -> None:
    results = [result(n, 80, is_right=n % 2 == 0) for n in range(250)]
    metrics = benchmark.metrics(results)
    assert metrics["calibration_error"].value == pytest.approx(0.3)
    assert metrics["calibration_error"].n == 250
    # The last of two bins is left out: 100 of 250 answers count.
    assert metrics["calibration_error_official"].value == pytest.approx(0.3 * (100 / 250) ** 0.5)


def test_few_answers_have_no_official_calibration_error() -> None:
    assert set(benchmark.metrics([result(1, 80, is_right=True)])) == {"calibration_error"}
    assert benchmark.metrics([]) == {}
    assert official_calibration_error([0.5] * 99, [True] * 99) is None
    assert official_calibration_error([0.5] * 199, [True] * 199) == 0.0


CONFIDENCE = st.integers(0, 100).map(lambda percent: percent / 100)


@given(st.lists(st.tuples(CONFIDENCE, st.booleans()), min_size=1, max_size=350))
def test_the_order_of_answers_does_not_change_the_calibration_error(
    answers: Sequence[tuple[float, bool]],
) -> None:
    def error(listed: Sequence[tuple[float, bool]]) -> float:
        found = calibration_error([one[0] for one in listed], [one[1] for one in listed])
        assert found is not None
        return found

    assert error(answers) == pytest.approx(error(answers[::-1]))
    assert 0 <= error(answers) <= 1


def test_the_order_of_equal_confidences_moves_the_official_calibration_error() -> None:
    confidence = [0.9] * 300
    first = official_calibration_error(confidence, [number < 100 for number in range(300)])
    last = official_calibration_error(confidence, [number >= 200 for number in range(300)])
    assert first is not None
    assert last is not None
    assert last - first > 0.2


def test_perfect_calibration_has_no_error() -> None:
    assert calibration_error([0.25] * 400, [n % 4 == 0 for n in range(400)]) == pytest.approx(0)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("The High German Consonant Shift!", "high german consonant shift"),
        ("  A ", "a"),
        ("(C)", "C."),
        ("-5", "-5."),
        ("3.67", "3.67."),
        ("1/8", "1/8"),
        ("FL/4", "fl/4"),
    ],
)
def test_equal_but_for_case_articles_and_punctuation(said: str, expected: str) -> None:
    assert bare(said) == bare(expected)


@pytest.mark.parametrize(("said", "other"), [("5", "-5"), ("3.67", "367"), ("1/8", "18"), ("A", "an B")])
def test_what_differs_stays_different(said: str, other: str) -> None:
    assert bare(said) != bare(other)


async def test_exact_match_asks_the_bare_question_and_compares_the_whole_reply() -> None:
    item_set = EXACT.load(ListTables({"test": [{**ROW, "image": PICTURE}]}))
    [item] = item_set.items
    assert item_set.prompt(item) == Prompt.of_user(str(ROW["question"]))
    for answer, outcome in (
        ("12.", Outcome.CORRECT),
        ("It is 12", Outcome.INCORRECT),
        ("", Outcome.UNPARSED),
    ):
        assert (await EXACT.grade(item, Completion(answer), Services())).outcome is outcome
