"""Grading by a second model."""

from dataclasses import replace

import pytest

from assay.domain.benchmark import Cue, Panel
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.domain.errors import GraderError
from assay.domain.outcome import Outcome
from assay.engine.graders.judge import (
    JudgeQuestion,
    grade_by_judge,
    json_verdict,
    judge_prompt,
    labelled_verdict,
    word_verdict,
)


class Answering:
    """A judge that gives one reply to everything."""

    def __init__(self, reply: str | Completion | GraderError, model: str = "judge") -> None:
        self.model = model
        self._reply = Completion(reply) if isinstance(reply, str) else reply
        self.asked: list[tuple[Prompt, Generation, Cue, int]] = []

    async def ask(self, prompt: Prompt, *, generation: Generation, cue: Cue, vote: int = 0) -> Completion:
        self.asked.append((prompt, generation, cue, vote))
        if isinstance(self._reply, GraderError):
            raise self._reply
        return self._reply


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


@pytest.mark.parametrize(
    ("reply", "is_correct"),
    [
        ("extracted_final_answer: 7\nreasoning: it is\ncorrect: yes\nconfidence: 80", True),
        ("**correct:** No.\n", False),
        ("- correct: `yes`", True),
        ("reasoning: that the answer is correct: yes, it says so\ncorrect: no", False),
        ('{"correct": "yes"}', True),
        ('```json\n{"correct": "no"}\n```', False),
    ],
)
def test_labelled_lines(reply: str, *, is_correct: bool) -> None:
    assert labelled_verdict(reply, key="correct").is_correct is is_correct


@pytest.mark.parametrize(
    "reply",
    ["", "yes", "correct", "correct: maybe", "incorrect: yes", "correct: yes\ncorrect: no",
     "correct: yes and no", "The response is correct: yes it is", "{", "correct:\nyes"],
)  # fmt: skip
def test_lines_without_a_verdict(reply: str) -> None:
    with pytest.raises(GraderError, match="the judge's reply is no verdict"):
        labelled_verdict(reply, key="correct")


def test_other_labels_are_kept() -> None:
    verdict = labelled_verdict("a: 1\nb: 2\ncorrect: yes", key="correct", others=("a",))
    assert verdict.details == {"a": "1", "correct": "yes"}


QUESTION = JudgeQuestion(Prompt.of_user("is it?"), Generation(max_tokens=9), Cue(right="CORRECT"))


def panel(*replies: str | Completion | GraderError, votes: int = 1) -> Panel:
    return Panel(tuple(Answering(reply, f"judge-{n}") for n, reply in enumerate(replies)), votes)


async def test_the_verdict_becomes_a_grade() -> None:
    judge = Answering("INCORRECT")
    grade = await grade_by_judge(Panel((judge,)), QUESTION)
    assert (grade.outcome, grade.score, grade.explanation) == (Outcome.INCORRECT, 0.0, "INCORRECT")
    assert judge.asked == [(QUESTION.prompt, QUESTION.generation, QUESTION.cue, 0)]
    assert grade.details == {}


async def test_what_else_the_judge_said_is_kept() -> None:
    said = '{"correct": "yes", "confidence": 90}'
    grade = await grade_by_judge(panel(said), replace(QUESTION, parse=json_verdict))
    assert (grade.outcome, grade.score) == (Outcome.CORRECT, 1.0)
    assert grade.details == {"correct": "yes", "confidence": 90}


@pytest.mark.parametrize(
    ("reply", "complaint"),
    [
        (Completion("CORRECT", finish_reason="length"), "was cut"),
        (Completion("CORRECT", finish_reason="content_filter"), "refused"),
        (Completion("", refusal="no"), "refused"),
        (Completion("I cannot say"), "no verdict"),
        (GraderError("gave no reply: 500"), "gave no reply: 500"),
    ],
)
async def test_a_judge_that_gave_no_whole_reply_gives_no_verdict(
    reply: Completion | GraderError, complaint: str
) -> None:
    with pytest.raises(GraderError, match=complaint):
        await grade_by_judge(panel(reply), QUESTION)


async def test_the_majority_of_a_panel_decides_and_every_vote_is_kept() -> None:
    grade = await grade_by_judge(panel("INCORRECT", "CORRECT", "CORRECT"), QUESTION)
    assert grade.outcome is Outcome.CORRECT
    assert grade.details["votes"] == [
        {"judge": "judge-0", "correct": False},
        {"judge": "judge-1", "correct": True},
        {"judge": "judge-2", "correct": True},
    ]


async def test_one_judge_votes_as_often_as_asked() -> None:
    judge = Answering("CORRECT")
    grade = await grade_by_judge(Panel((judge,), votes=3), QUESTION)
    assert [asked[3] for asked in judge.asked] == [0, 1, 2]
    assert len(grade.details["votes"]) == 3  # pyright: ignore[reportArgumentType] # a list, as the test above shows


@pytest.mark.parametrize(
    ("replies", "counts"),
    [
        (("CORRECT", "INCORRECT"), "1 for correct, 1 for incorrect"),
        (("CORRECT", "INCORRECT", "perhaps"), "1 for correct, 1 for incorrect, 1 failed"),
        (("CORRECT", "perhaps"), "1 for correct, 0 for incorrect, 1 failed"),
        (("perhaps", "maybe", "who knows"), "0 for correct, 0 for incorrect, 3 failed"),
    ],
)
async def test_without_more_than_half_of_all_votes_there_is_no_verdict(
    replies: tuple[str, ...], counts: str
) -> None:
    with pytest.raises(GraderError, match=counts) as caught:
        await grade_by_judge(panel(*replies), QUESTION)
    votes = caught.value.details["votes"]
    assert isinstance(votes, list)
    assert len(votes) == len(replies)


async def test_a_failed_vote_counts_for_nobody() -> None:
    grade = await grade_by_judge(panel("CORRECT", GraderError("timed out"), "CORRECT"), QUESTION)
    assert grade.outcome is Outcome.CORRECT
    assert {"judge": "judge-1", "error": "timed out"} in grade.details["votes"]  # pyright: ignore[reportOperatorIssue] # a list
