"""Grading by a second model."""

import pytest

from assay.domain.errors import GraderError
from assay.domain.messages import Completion, Generation, Prompt
from assay.domain.outcome import Outcome
from assay.engine.graders.judge import grade_by_judge, json_verdict, judge_prompt, word_verdict


class Answering:
    """A judge that gives one reply to everything."""

    def __init__(self, completion: Completion) -> None:
        self.completion = completion
        self.asked: list[Prompt] = []

    async def ask(self, prompt: Prompt, *, generation: Generation) -> Completion:
        del generation
        self.asked.append(prompt)
        return self.completion


def test_placeholders_are_filled_once() -> None:
    prompt = judge_prompt(
        "Q: {question}\nA: {answer}", {"question": "what is {answer}?", "answer": "{question}"}
    )
    assert prompt.text == "Q: what is {answer}?\nA: {question}"


def test_other_braces_in_a_template_are_text() -> None:
    assert judge_prompt('{"a": 1} {answer} {}', {"answer": "x"}).text == '{"a": 1} x {}'


def test_a_placeholder_without_a_value_is_an_error() -> None:
    with pytest.raises(GraderError, match="names 'question'"):
        judge_prompt("{question}", {"answer": "x"})


@pytest.mark.parametrize(
    "reply", ["CORRECT", " correct\n", "**CORRECT**", "Correct.", '"CORRECT"', "`CORRECT`."]
)
def test_correct(reply: str) -> None:
    assert word_verdict(reply).is_correct


@pytest.mark.parametrize("reply", ["INCORRECT", " incorrect\n", "**INCORRECT**.", "Incorrect."])
def test_incorrect(reply: str) -> None:
    assert not word_verdict(reply).is_correct


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "NOT CORRECT",
        "CORRECT INCORRECT",
        "CORRECT or INCORRECT",
        "The answer is CORRECT",
        "IN CORRECT",
        "CORRECTLY",
    ],
)
def test_anything_else_is_no_verdict(reply: str) -> None:
    with pytest.raises(GraderError, match="expected CORRECT or INCORRECT"):
        word_verdict(reply)


def test_other_words_can_be_agreed_on() -> None:
    assert word_verdict("yes", right="YES", wrong="NO").is_correct
    assert not word_verdict("No.", right="YES", wrong="NO").is_correct


@pytest.mark.parametrize(
    ("reply", "is_correct"),
    [
        ('{"correct": "yes"}', True),
        ('{"correct": "No", "confidence": 40}', False),
        ('{"correct": true}', True),
        ('{"correct": false}', False),
        ('{"correct": "incorrect"}', False),
        ('```json\n{"correct": "yes"}\n```', True),
        ('```\n{"correct": "no"}\n```\n', False),
    ],
)
def test_json_verdicts(reply: str, *, is_correct: bool) -> None:
    assert json_verdict(reply).is_correct is is_correct


@pytest.mark.parametrize(
    "reply",
    ["", "yes", "[true]", '{"correct": "maybe"}', '{"correct": 1}', '{"correct": null}', '{"right": "yes"}',
     '{"correct": "yes"', '{"correct": "yes"} and {"correct": "no"}', '{"correct": ["yes"]}', "[" * 100_000],
)  # fmt: skip
def test_json_without_a_verdict(reply: str) -> None:
    with pytest.raises(GraderError, match="the judge's reply is no verdict"):
        json_verdict(reply)


def test_a_long_reply_is_shortened_in_the_message() -> None:
    with pytest.raises(GraderError) as caught:
        word_verdict("x" * 10_000)
    assert len(caught.value.message) < 400


async def test_the_verdict_becomes_a_grade() -> None:
    judge = Answering(Completion("INCORRECT"))
    prompt = Prompt.of_user("is it?")
    grade = await grade_by_judge(judge, prompt, generation=Generation())
    assert (grade.outcome, grade.score, grade.explanation) == (Outcome.INCORRECT, 0.0, "INCORRECT")
    assert judge.asked == [prompt]


async def test_what_else_the_judge_said_is_kept() -> None:
    judge = Answering(Completion('{"correct": "yes", "confidence": 90}'))
    grade = await grade_by_judge(judge, Prompt.of_user("is it?"), generation=Generation(), parse=json_verdict)
    assert (grade.outcome, grade.score) == (Outcome.CORRECT, 1.0)
    assert grade.details == {"judge": {"correct": "yes", "confidence": 90}}


@pytest.mark.parametrize(
    ("completion", "complaint"),
    [
        (Completion("CORRECT", finish_reason="length"), "was cut"),
        (Completion("CORRECT", finish_reason="content_filter"), "refused"),
        (Completion("", refusal="no"), "refused"),
        (Completion("I cannot say"), "no verdict"),
    ],
)
async def test_a_judge_that_gave_no_whole_reply_gives_no_verdict(
    completion: Completion, complaint: str
) -> None:
    with pytest.raises(GraderError, match=complaint):
        await grade_by_judge(Answering(completion), Prompt.of_user("is it?"), generation=Generation())
