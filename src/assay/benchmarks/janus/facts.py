"""Facts that a reply must state: found as whole words, or as an equal number."""

import re
from decimal import Decimal

from assay.benchmarks.janus.benchmark import TaskKind, expected_facts
from assay.domain.benchmark import Cue, Grade, Row
from assay.domain.messages import Completion
from assay.domain.outcome import Outcome
from assay.engine.graders.exact import folded
from assay.engine.graders.number import parse_number

_WORD = re.compile(r"[^\W_]+(?:['\u2019./-][^\W_]+)*")
# Not inside a word or a longer number: the 2 of CO2 is none.
_NUMBER = re.compile(r"(?<![\w.])(?:[-\u2212]?\d+(?:[.,\u00a0\u2009\u202f]\d+)*|\.\d+)")
NO_IDEA = "I do not know."
# A longer reply is no answer that anybody reads; it would only take long to search.
_MOST_CHARACTERS = 100_000


class Statements:
    """The words and numbers of a reply."""

    def __init__(self, reply: str) -> None:
        text = reply[:_MOST_CHARACTERS]
        self._words = f" {' '.join(_WORD.findall(folded(text)))} "
        self._numbers = {number for found in _NUMBER.findall(text) for number in _numbers(found)}

    def state(self, wording: str) -> bool:
        number: Decimal | None = parse_number(wording)
        if number is not None:
            return number in self._numbers
        words = " ".join(_WORD.findall(folded(wording)))
        return bool(words) and f" {words} " in self._words


def _numbers(text: str) -> list[Decimal | None]:
    """One number, or several of a list without spaces, such as 7,12."""
    number = parse_number(text)
    return [number] if number is not None else [parse_number(part) for part in text.split(",")]


def stated(task: Row, reply: str) -> dict[str, bool]:
    """Each fact by its first wording, and whether the reply states it."""
    statements = Statements(reply)
    return {wordings[0]: any(map(statements.state, wordings)) for wordings in expected_facts(task)}


def missing_text(found: dict[str, bool]) -> str:
    missing = [fact for fact, is_stated in found.items() if not is_stated]
    return f"not stated: {', '.join(missing)}" if missing else "every fact is stated"


def grade_facts(task: Row, completion: Completion) -> Grade:
    """The share of facts that are stated."""
    if not completion.answer.strip():
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer is empty")
    found = stated(task, completion.answer)
    score = sum(found.values()) / len(found)
    outcome = {0.0: Outcome.INCORRECT, 1.0: Outcome.CORRECT}.get(score, Outcome.PARTIAL)
    return Grade(outcome, score, explanation=missing_text(found), details={"facts": found})


def facts_cue(task: Row) -> Cue:
    return Cue(right=", ".join(wordings[0] for wordings in expected_facts(task)) + ".", wrong=NO_IDEA)


FACTS = TaskKind(lambda _task: "", grade_facts, facts_cue)
