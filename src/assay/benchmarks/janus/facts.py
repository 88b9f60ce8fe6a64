"""Facts that a reply must state: found as whole words, or as an equal number."""

import re
from decimal import Decimal

from assay.benchmarks.janus.benchmark import TaskKind, expected_facts
from assay.domain.benchmark import Cue, Grade, Row
from assay.domain.calls.messages import Completion
from assay.domain.outcome import Outcome
from assay.engine.graders.exact import folded
from assay.engine.graders.number import parse_number

_WORD = re.compile(r"[^\W_]+(?:['\u2019.][^\W_]+)*")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
# Not inside a word or a longer number: the 2 of CO2 is none.
_NUMBER = re.compile(r"(?<![\w.])(?:[-\u2212]?\d+(?:[.,]\d+)*|\.\d+)")
# 10 080 is one number, and may be two.
_GROUPED = re.compile(r"(?<![\w.])\d{1,3}(?:[ \u00a0\u2009\u202f']\d{3})+(?![\d.,]\d)")
_GROUP_MARK = re.compile(r"[ \u00a0\u2009\u202f']")
_FRACTION = re.compile(r"\\[dt]?frac ?\{(\d{1,30})\} ?\{(\d{1,30})\}")
_COMMAND = re.compile(r"\\[A-Za-z]{1,20}")
_LATEX_MARKS = re.compile(r"[{}$]|(?<=[A-Za-z}$])_(?=\{?\d)|\\[()\[\]]")
_SUPERSCRIPTS = re.compile("[\u00b9\u00b2\u00b3\u2070-\u207f]")
NO_IDEA = "I do not know."
# A longer reply is no answer that anybody reads; it would only take long to search.
_MOST_CHARACTERS = 100_000


class Statements:
    """The words and numbers of a reply, and where each stands first."""

    def __init__(self, reply: str) -> None:
        text = _without_latex(reply[:_MOST_CHARACTERS])
        self._words = f" {_words(_SUPERSCRIPTS.sub(' ', text))} "
        self.numbers: dict[Decimal, int] = {}
        for found in _NUMBER.finditer(text):
            for number in _numbers(found[0]):
                self.numbers.setdefault(number, found.start())
        for found in _GROUPED.finditer(text):
            self.numbers.setdefault(Decimal(_GROUP_MARK.sub("", found[0])), found.start())

    def state(self, wording: str) -> bool:
        return self.position(wording) is not None

    def position(self, wording: str) -> int | None:
        """Comparable among words, and among numbers; None for what is not stated."""
        number: Decimal | None = parse_number(wording)
        if number is not None:
            return self.numbers.get(number)
        words = _words(wording)
        found = self._words.find(f" {words} ") if words else -1
        return None if found < 0 else found


def _words(text: str) -> str:
    return " ".join(_WORD.findall(_POSSESSIVE.sub("", folded(text))))


def _without_latex(text: str) -> str:
    text = _FRACTION.sub(r"\1/\2", text.replace("{,}", ",").replace("\\,", "\u202f"))
    return _LATEX_MARKS.sub("", _COMMAND.sub(" ", text))


def _numbers(text: str) -> list[Decimal]:
    """One number, or several of a list without spaces, such as 7,12."""
    number = parse_number(text)
    parts = [number] if number is not None else [parse_number(part) for part in text.split(",")]
    return [part for part in parts if part is not None]


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
