"""Grading by a second model: what it is asked, and what its reply means.

A reply that is not clearly one verdict is a GraderError, never a guess: the attempt has then no verdict.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from assay.domain.benchmark import Grade, Judge
from assay.domain.errors import GraderError
from assay.domain.messages import Completion, Generation, Json, Prompt
from assay.domain.outcome import Outcome

_PLACEHOLDER = re.compile(r"\{(?P<name>[a-z_]+)\}")
_FENCED = re.compile(r"```(?:json)?\s*(?P<content>\{.*\})\s*```", re.DOTALL)
_SHOWN = 200
_YES = {"yes": True, "true": True, "correct": True, "no": False, "false": False, "incorrect": False}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge decided, with whatever else it said."""

    is_correct: bool
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
    return Verdict(decided, content)


async def grade_by_judge(
    judge: Judge, prompt: Prompt, *, generation: Generation, parse: VerdictParser = word_verdict
) -> Grade:
    completion = await judge.ask(prompt, generation=generation)
    verdict = parse(_whole_reply(completion))
    outcome = Outcome.CORRECT if verdict.is_correct else Outcome.INCORRECT
    return Grade(
        outcome,
        1.0 if verdict.is_correct else 0.0,
        explanation=completion.answer,
        details={"judge": dict(verdict.details)} if verdict.details else {},
    )


def _whole_reply(completion: Completion) -> str:
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
