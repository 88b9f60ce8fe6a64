"""Replies whose length counts once their content is right."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from assay.benchmarks.janus.benchmark import TaskKind
from assay.benchmarks.janus.facts import NO_IDEA, facts_cue, missing_text, stated
from assay.domain.benchmark import Cue, Grade, Row
from assay.domain.messages import Completion
from assay.domain.outcome import Outcome
from assay.engine.graders.number import parse_number

# So many times the words asked for, or more, is not an answer to the question.
_NO_ANSWER = 5
_SLIGHTLY_TOO_LONG = 2
_DIRECT_PROTOCOL = "Reply with the number alone: digits, without a unit or any other word."
# A right number that is the only one in a short sentence counts half.
_SENTENCE_WORDS = 12
_MARKUP = " \t\r\n*_`."


@dataclass(frozen=True, slots=True)
class Brevity:
    """How much of the score the content makes; the rest is for keeping to the length."""

    content: float
    length: float

    def grade(self, task: Row, completion: Completion) -> Grade:
        words = len(completion.answer.split())
        if not words:
            return Grade(Outcome.UNPARSED, 0.0, explanation="the answer is empty")
        most = cast("Mapping[str, int]", task["evaluation"])["max_words"]
        if words > _NO_ANSWER * most:
            reason = f"{words} words where {most} were allowed: nothing of it counts"
            return Grade(Outcome.INCORRECT, 0.0, explanation=reason, details={"words": words})
        found = stated(task, completion.answer)
        content = sum(found.values()) / len(found)
        length = 1.0 if words <= most else 0.5 if words <= _SLIGHTLY_TOO_LONG * most else 0.0
        score = self.content * content + (self.length * length if content == 1 else 0.0)
        outcome = {0.0: Outcome.INCORRECT, 1.0: Outcome.CORRECT}.get(score, Outcome.PARTIAL)
        explanation = f"{missing_text(found)}; {words} words, {most} allowed"
        details = {"facts": found, "words": words, "max_words": most}
        return Grade(outcome, round(score, 4), explanation=explanation, details=details)

    @property
    def kind(self) -> TaskKind:
        return TaskKind(lambda _task: "", self.grade, facts_cue)


CONCISE = Brevity(content=0.7, length=0.3).kind
EXPLANATION = Brevity(content=0.6, length=0.4).kind


def grade_direct(task: Row, completion: Completion) -> Grade:
    """1 for the number alone; half for a short sentence with no other number."""
    said, expected = completion.answer.strip(_MARKUP), str(task["expected_answer"])
    right = parse_number(expected)
    alone = parse_number(said)
    if alone is not None:
        if alone == right:
            return Grade(Outcome.CORRECT, 1.0, said, "the number alone, and it is right")
        return Grade(Outcome.INCORRECT, 0.0, said, f"{said}, right is {expected}")
    words = said.split() if len(said) <= _SENTENCE_WORDS * 40 else []
    numbers = {
        number
        for number in (parse_number(word.strip(_MARKUP + ",;:!?()$=")) for word in words)
        if number is not None
    }
    if not words or len(words) > _SENTENCE_WORDS or len(numbers) != 1:
        return Grade(
            Outcome.UNPARSED, 0.0, explanation="the reply is not a number, nor a short sentence with one"
        )
    if numbers == {right}:
        return Grade(Outcome.PARTIAL, 0.5, said, "the right number, but not alone")
    return Grade(Outcome.INCORRECT, 0.0, said, f"{said}, right is {expected}")


def _direct_cue(task: Row) -> Cue:
    return Cue(right=str(task["expected_answer"]), wrong=NO_IDEA)


DIRECT = TaskKind(lambda _task: _DIRECT_PROTOCOL, grade_direct, _direct_cue)
