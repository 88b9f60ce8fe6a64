"""Replies whose length counts once their content is right."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import cast

from assay.benchmarks.janus.benchmark import TaskKind, expected_facts, question
from assay.benchmarks.janus.facts import NO_IDEA, Statements, facts_cue, missing_text
from assay.domain.benchmark import Cue, Grade, Row
from assay.domain.calls.messages import Completion
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.engine.graders.number import parse_number
from assay.engine.graders.robust.markup import BOX_CLOSES, BOX_OPENS, plain
from assay.engine.graders.robust.visible import visible_text

# So many times the words asked for, or more, is not an answer to the question.
_NO_ANSWER = 5
_SLIGHTLY_TOO_LONG = 2
_DIRECT_PROTOCOL = "Reply with the number alone: digits, without a unit or any other word."
# A right number that is the only one in a short sentence counts half.
_SENTENCE_WORDS = 12
_MARKUP = " \t\r\n*_`."
_BOXES = str.maketrans({BOX_OPENS: None, BOX_CLOSES: None})
_EQUALS = re.compile("[=\u2248]")
# What separates words; the comma of 1,204 does not.
_BETWEEN_WORDS = re.compile(r"[\s;|]+|,(?!\d{3}(?!\d))")


@dataclass(frozen=True, slots=True)
class Brevity:
    """How much of the score the content makes; the rest is for keeping to the length."""

    content: float
    length: float
    # Numbers of the working; a reply with more of them, beside those of the question, lists guesses.
    most_other_numbers: int

    def grade(self, task: Row, completion: Completion) -> Grade:
        words = len([word for word in _BETWEEN_WORDS.split(completion.answer) if word])
        if not words:
            return Grade(Outcome.UNPARSED, 0.0, explanation="the answer is empty")
        most = cast("Mapping[str, int]", task["evaluation"])["max_words"]
        if words > _NO_ANSWER * most:
            reason = f"{words} words where {most} were allowed: nothing of it counts"
            return Grade(Outcome.INCORRECT, 0.0, explanation=reason, details={"words": words})
        said = Statements(completion.answer)
        found = {wordings[0]: _first(said, wordings) for wordings in expected_facts(task)}
        facts = {fact: at is not None for fact, at in found.items()}
        details: dict[str, Json] = {"facts": dict(facts), "words": words, "max_words": most}
        fault = self._fault(task, said, found)
        if fault:
            return Grade(Outcome.INCORRECT, 0.0, explanation=fault, details=details)
        content = sum(facts.values()) / len(facts)
        length = 1.0 if words <= most else 0.5 if words <= _SLIGHTLY_TOO_LONG * most else 0.0
        score = self.content * content + (self.length * length if content == 1 else 0.0)
        outcome = {0.0: Outcome.INCORRECT, 1.0: Outcome.CORRECT}.get(score, Outcome.PARTIAL)
        explanation = f"{missing_text(facts)}; {words} words, {most} allowed"
        return Grade(outcome, round(score, 4), explanation=explanation, details=details)

    def _fault(self, task: Row, said: Statements, found: Mapping[str, int | None]) -> str | None:
        """Why nothing counts, although facts are stated."""
        evaluation = cast("Mapping[str, Json]", task["evaluation"])
        wrong = [one for one in cast("Sequence[str]", evaluation.get("wrong_facts", ())) if said.state(one)]
        if wrong:
            return f"also stated: {', '.join(wrong)}"
        places = [at for at in found.values() if at is not None]
        if evaluation.get("in_order") and any(later < earlier for earlier, later in pairwise(places)):
            return "the facts are stated in another order than was asked for"
        right = {parse_number(one) for wordings in expected_facts(task) for one in wordings}
        others = said.numbers.keys() - right - Statements(question(task)).numbers.keys()
        return f"{len(others)} other numbers are stated" if len(others) > self.most_other_numbers else None

    @property
    def kind(self) -> TaskKind:
        return TaskKind(lambda _task: "", self.grade, facts_cue)


def _first(said: Statements, wordings: Sequence[str]) -> int | None:
    places = [at for at in map(said.position, wordings) if at is not None]
    return min(places, default=None)


CONCISE = Brevity(content=0.7, length=0.3, most_other_numbers=4).kind
EXPLANATION = Brevity(content=0.6, length=0.4, most_other_numbers=12).kind


def grade_direct(task: Row, completion: Completion) -> Grade:
    """1 for the number alone; half for a short sentence or an equation with no other result."""
    said = plain(visible_text(completion.answer)).translate(_BOXES).strip(_MARKUP)
    expected = str(task["expected_answer"])
    right = parse_number(expected)
    alone = parse_number(said)
    if alone is not None:
        if alone == right:
            return Grade(Outcome.CORRECT, 1.0, said, "the number alone, and it is right")
        return Grade(Outcome.INCORRECT, 0.0, said, f"{said}, right is {expected}")
    numbers = _numbers_of_sentence(said)
    if len(numbers) != 1:
        return Grade(
            Outcome.UNPARSED, 0.0, explanation="the reply is not a number, nor a short sentence with one"
        )
    if numbers == {right}:
        return Grade(Outcome.PARTIAL, 0.5, said, "the right number, but not alone")
    return Grade(Outcome.INCORRECT, 0.0, said, f"{said}, right is {expected}")


def _numbers_of_sentence(said: str) -> set[Decimal]:
    """Of an equation its result alone; none if it is too long."""
    if len(said.split()) > _SENTENCE_WORDS or len(said) > _SENTENCE_WORDS * 40:
        return set()
    found = (parse_number(word.strip(_MARKUP + ",;:!?()$€£")) for word in _EQUALS.split(said)[-1].split())
    return {number for number in found if number is not None}


def _direct_cue(task: Row) -> Cue:
    return Cue(right=str(task["expected_answer"]), wrong=NO_IDEA)


DIRECT = TaskKind(lambda _task: _DIRECT_PROTOCOL, grade_direct, _direct_cue)
