"""Grading by a second model: what it is asked, and what its reply means.

A reply that is not clearly one verdict is a GraderError, never a guess: the attempt has then no verdict.
"""

import asyncio
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assay.domain.benchmark import Cue, Grade, Judge, Panel
from assay.domain.calls.messages import Completion, Generation, Json, Prompt
from assay.domain.errors import GraderError
from assay.domain.outcome import Outcome

_PLACEHOLDER = re.compile(r"\{(?P<name>[a-z_]+)\}")
_FENCED = re.compile(r"```(?:json)?\s*(?P<content>\{.*\})\s*```", re.DOTALL)
_SHOWN = 200
# Many times what the longest token cap of a judge allows.
LONGEST_REPLY = 200_000
_DECORATION = " \t*_`#-\"'"
_YES = {"yes": True, "true": True, "correct": True, "no": False, "false": False, "incorrect": False}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge decided, with whatever else it said."""

    is_correct: bool
    extracted: str | None = None
    details: Mapping[str, Json] = field(default_factory=dict[str, Json])


VerdictParser = Callable[[str], Verdict]


def judge_prompt(template: str, fields: Mapping[str, str]) -> Prompt:
    """Fill each `{name}` once: braces inside an answer are text, not placeholders."""
    unknown = {match["name"] for match in _PLACEHOLDER.finditer(template)} - fields.keys()
    if unknown:
        raise GraderError(f"the judge's template names {min(unknown)!r}, which the item does not have")
    return Prompt.of_user(_PLACEHOLDER.sub(lambda match: fields[match["name"]], template))


def word_verdict(reply: str, *, right: str = "CORRECT", wrong: str = "INCORRECT") -> Verdict:
    """The whole reply must be one of the words: INCORRECT contains CORRECT, and so does NOT CORRECT."""
    word = reply.strip().strip("*_`\"'.").strip().upper()
    if word == right.upper():
        return Verdict(is_correct=True)
    if word == wrong.upper():
        return Verdict(is_correct=False)
    raise _unparseable(reply, f"{right} or {wrong}")


def json_verdict(reply: str, *, key: str = "correct") -> Verdict:
    """The reply must be one JSON object, bare or in a code fence, whose `key` is yes or no, true or false."""
    text = reply.strip()
    fenced = _FENCED.fullmatch(text)
    try:
        content: Json = json.loads(fenced["content"] if fenced else text)
    except (ValueError, RecursionError) as error:
        raise _unparseable(reply, f"a JSON object with {key!r}") from error
    if not isinstance(content, Mapping):
        raise _unparseable(reply, f"a JSON object with {key!r}")
    decided = _decision(content.get(key))
    if decided is None:
        raise _unparseable(reply, f"a JSON object with {key!r} being yes or no")
    return Verdict(decided, details=content)


def labelled_verdict(reply: str, *, key: str, others: Sequence[str] = ()) -> Verdict:
    """A JSON object as for `json_verdict`, or lines `name: value`, of which one alone may say `key`.

    For servers that cannot hold a reply to a schema: their models write the fields as the prompt lists them.
    """
    if reply.lstrip().startswith(("{", "```")):
        return json_verdict(reply, key=key)
    names = {key, *others}
    found: dict[str, str] = {}
    for line in reply.splitlines():
        name, colon, value = line.partition(":")
        name = name.strip(_DECORATION).lower()
        if not colon or name not in names:
            continue
        if name == key and name in found:
            raise _unparseable(reply, f"one line {key!r}, not several")
        found.setdefault(name, value.strip(_DECORATION))
    decided = _decision(found.get(key, "").rstrip("."))
    if decided is None:
        raise _unparseable(reply, f"a line {key!r} that says yes or no")
    return Verdict(decided, details=dict[str, Json](found))


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """What a judge is asked about one answer, and how its reply is read."""

    prompt: Prompt
    generation: Generation
    cue: Cue
    parse: VerdictParser = word_verdict


async def grade_by_judge(panel: Panel, question: JudgeQuestion) -> Grade:
    """The verdict of more than half of all votes that were asked for; a failed vote counts for nobody.

    Raises GraderError where there is none: half against half, or too many votes that failed.
    """
    asked = [(judge, vote) for judge in panel.judges for vote in range(panel.votes)]
    votes = await asyncio.gather(*(_vote(judge, question, vote) for judge, vote in asked))
    if len(votes) == 1:
        return _grade(_given(votes[0]), votes[0])
    details: dict[str, Json] = {"votes": [vote.to_json() for vote in votes]}
    for is_correct in (True, False):
        agreeing = [vote for vote in votes if vote.verdict and vote.verdict.is_correct is is_correct]
        if 2 * len(agreeing) > len(votes):
            return _grade(_given(agreeing[0]), agreeing[0], details)
    message = f"no verdict has more than half of {len(votes)} votes: {_counts(votes)}"
    raise GraderError(message, details=details)


@dataclass(frozen=True, slots=True)
class _Vote:
    judge: str
    verdict: Verdict | None
    reply: str = ""
    error: str | None = None

    def to_json(self) -> dict[str, Json]:
        if self.verdict is None:
            return {"judge": self.judge, "error": self.error}
        return {"judge": self.judge, "correct": self.verdict.is_correct}


async def _vote(judge: Judge, question: JudgeQuestion, vote: int) -> _Vote:
    try:
        completion = await judge.ask(
            question.prompt, generation=question.generation, cue=question.cue, vote=vote
        )
        verdict = question.parse(_whole_reply(completion))
    except GraderError as error:
        return _Vote(judge.model, None, error=error.message)
    return _Vote(judge.model, verdict, completion.answer)


def _given(vote: _Vote) -> Verdict:
    if vote.verdict is None:
        raise GraderError(vote.error or f"the judge {vote.judge!r} gave no verdict")
    return vote.verdict


def _grade(verdict: Verdict, vote: _Vote, more: Mapping[str, Json] | None = None) -> Grade:
    return Grade(
        Outcome.CORRECT if verdict.is_correct else Outcome.INCORRECT,
        1.0 if verdict.is_correct else 0.0,
        extracted=verdict.extracted,
        explanation=vote.reply,
        details={**verdict.details, **(more or {})},
    )


def _counts(votes: Sequence[_Vote]) -> str:
    right = sum(vote.verdict is not None and vote.verdict.is_correct for vote in votes)
    failed = [vote.error for vote in votes if vote.error is not None]
    text = f"{right} for correct, {len(votes) - right - len(failed)} for incorrect"
    return f"{text}, {len(failed)} failed ({failed[0]})" if failed else text


def _whole_reply(completion: Completion) -> str:
    if len(completion.answer) > LONGEST_REPLY:
        raise GraderError(f"the judge's reply is no verdict: it has {len(completion.answer):,} characters")
    if completion.is_refused:
        raise GraderError("the judge refused to grade; try another judge")
    if completion.is_cut:
        raise GraderError("the judge's reply was cut at its token cap; give the judge more tokens")
    return completion.answer


def _decision(value: Json) -> bool | None:
    if isinstance(value, bool):
        return value
    return _YES.get(value.strip().lower()) if isinstance(value, str) else None


def _unparseable(reply: str, wanted: str) -> GraderError:
    shown = reply if len(reply) <= _SHOWN else reply[:_SHOWN] + "…"
    return GraderError(f"the judge's reply is no verdict: expected {wanted}, got {shown!r}")
