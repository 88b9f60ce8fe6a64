"""Requests that suit one form of reply: a tool call, data, a drawing or words."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

from assay.benchmarks.janus.answer_lines import answer_cue, grade_answer_lines
from assay.benchmarks.janus.multimodal.drawing import grade_drawing
from assay.benchmarks.janus.tools.calls import CallReport, compared, final_text, made_calls
from assay.benchmarks.janus.tools.conversation import Cues
from assay.benchmarks.janus.tools.tasks import solution_calls, task_needs, task_tools
from assay.domain.benchmark import Grade, Row
from assay.domain.calls.messages import Completion
from assay.domain.calls.transcript import transcript_in
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome

_PROTOCOL = """Reply in the one form that suits the request. If something is to be done, call a tool for it. \
If data for a program is wanted, reply with one JSON value and nothing else. If a figure is wanted, reply \
with one SVG drawing, its viewBox from 0 0, made of rect, circle, ellipse, line, polygon, path and text in \
CSS colour names. Otherwise reply in words, and end with this line, with your answer in place of the brackets:
Answer: [name or number]"""
_MOST_JSON = 20_000
_FENCE = "```"


def routing_protocol(task: Row) -> str:
    del task  # naming the form would give it away
    return _PROTOCOL


def grade_routing(task: Row, completion: Completion) -> Grade:
    """0 in any other form than the one that suits, else the score of what it holds, less needless calls."""
    transcript = transcript_in(completion.answer)
    if transcript is None:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer is not a transcript of a conversation")
    report = compared(task_needs(task), made_calls(transcript, task_tools(task)))
    text = final_text(transcript)
    if report.needed:
        return _charged(_grade_calls(report, text), report)
    if not text.strip():
        return Grade(
            Outcome.UNPARSED, 0.0, explanation="there is no reply", details={"calls": report.to_json()}
        )
    return _charged(_GRADERS[_form(task)](task, text), report)


def _grade_calls(report: CallReport, text: str) -> Grade:
    if report.met == report.needed:
        return Grade(Outcome.CORRECT, 1.0, explanation="the right call was made")
    outcome = Outcome.INCORRECT if report.made or text.strip() else Outcome.UNPARSED
    return Grade(outcome, 0.0, text[:500] or None, "the call that the request takes was not made")


def _charged(grade: Grade, report: CallReport) -> Grade:
    score = round(max(0.0, grade.score - report.penalty), 4)
    details: dict[str, Json] = {**grade.details, "calls": report.to_json()}
    if score == grade.score:
        return replace(grade, details=details)
    outcome = Outcome.PARTIAL if score else Outcome.INCORRECT
    return replace(
        grade,
        score=score,
        outcome=outcome,
        details=details,
        explanation=f"{grade.explanation}; calls that were not asked for",
    )


def _grade_json(task: Row, text: str) -> Grade:
    content = text.strip()
    if content.startswith(_FENCE) and content.endswith(_FENCE):
        content = content.removeprefix(_FENCE).removesuffix(_FENCE).removeprefix("json").strip()
    try:
        value: Json = json.loads(content) if len(content) <= _MOST_JSON else None
    except (ValueError, RecursionError):
        return Grade(Outcome.INCORRECT, 0.0, content[:500], "the reply is not one JSON value")
    if _same(value, _evaluation(task)["json"]):
        return Grade(Outcome.CORRECT, 1.0, content, "equals the expected value")
    return Grade(Outcome.INCORRECT, 0.0, content[:500], "differs from the expected value")


def _same(one: Json, other: Json) -> bool:
    """TRUE is not 1, and 2.0 is 2."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return one == other


def _grade_drawing(task: Row, text: str) -> Grade:
    return grade_drawing(text, _evaluation(task))


def _grade_words(task: Row, text: str) -> Grade:
    if "<svg" in text or _FENCE in text:
        return Grade(Outcome.INCORRECT, 0.0, text[:500], "the reply is not in words alone")
    return grade_answer_lines(task, Completion(text))


_GRADERS: Mapping[str, Callable[[Row, str], Grade]] = {
    "json": _grade_json,
    "drawing": _grade_drawing,
    "words": _grade_words,
}


def routing_cues(task: Row) -> Cues:
    """A right reply, and one in the wrong form."""
    evaluation, wrong = _evaluation(task), "Of course! Here is what you asked for."
    match evaluation["form"]:
        case "call":
            return Cues(solution_calls(task), "Done.", wrong)
        case "json":
            return Cues((), json.dumps(evaluation["json"]), wrong)
        case "drawing":
            return Cues((), str(task["expected_answer"]), wrong)
        case _:
            return Cues((), answer_cue(task).right or "", wrong)


def _form(task: Row) -> str:
    return str(_evaluation(task)["form"])


def _evaluation(task: Row) -> dict[str, Any]:
    return cast("dict[str, Any]", task["evaluation"])
