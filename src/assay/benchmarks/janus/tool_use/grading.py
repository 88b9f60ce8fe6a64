"""Grading a conversation with tools: by its final answer, and by its calls."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.benchmarks.janus.answer_lines import grade_answer_lines
from assay.benchmarks.janus.tools.calls import FAULT_COSTS, CallReport, compared, final_text, made_calls
from assay.benchmarks.janus.tools.tasks import task_needs, task_tools
from assay.domain.benchmark import Grade, Result, Row
from assay.domain.calls.messages import Completion
from assay.domain.calls.transcript import transcript_in
from assay.domain.json_value import Json
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate, score_estimate

_NO_CALLS = CallReport(needed=1, made=0, named=0, met=0, faults={})


def grade_tool_task(task: Row, completion: Completion) -> Grade:
    """1 for the right answer after the calls it takes, less what needless calls cost; else 0."""
    transcript = transcript_in(completion.answer)
    if transcript is None:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer is not a transcript of a conversation")
    made = made_calls(transcript, task_tools(task))
    report = compared(task_needs(task), made)
    said = grade_answer_lines(task, Completion(final_text(transcript)))
    details: dict[str, Json] = {**said.details, "calls": report.to_json()}
    if report.met < report.needed or said.outcome is not Outcome.CORRECT:
        outcome = said.outcome if said.outcome is Outcome.UNPARSED else Outcome.INCORRECT
        return Grade(outcome, 0.0, said.extracted, _reason(report, said), details)
    score = round(max(0.0, 1.0 - report.penalty), 4)
    outcome = {0.0: Outcome.INCORRECT, 1.0: Outcome.CORRECT}.get(score, Outcome.PARTIAL)
    return replace(said, outcome=outcome, score=score, explanation=_reason(report, said), details=details)


def _reason(report: CallReport, said: Grade) -> str:
    faults = [f"{count} {fault} (-{FAULT_COSTS[fault]:g} each)" for fault, count in report.faults.items()]
    calls = (
        f"{report.met} of {report.needed} needed calls were made" if report.needed else "no call was needed"
    )
    return f"{said.explanation}; {calls}" + (f"; faults: {', '.join(faults)}" if faults else "")


def call_metrics(results: Sequence[Result]) -> Mapping[str, Estimate]:
    """Over the tasks that need calls; an attempt without a transcript, such as a refusal, made none."""
    calls = [_calls(result) for result in results]
    needing = [(result, one) for result, one in zip(results, calls, strict=True) if one.needed]
    idle = [(result, one) for result, one in zip(results, calls, strict=True) if not one.needed]
    found = {
        "tool_call_accuracy": _estimate([(result, one.accuracy) for result, one in needing]),
        "tool_names": _estimate([(result, one.named / one.needed) for result, one in needing]),
        "tool_schemas": _estimate([(result, one.valid_share) for result, one in needing]),
        "tool_arguments": _estimate([(result, one.met / one.needed) for result, one in needing]),
        "no_call_where_none_is_needed": _estimate([(result, float(not one.made)) for result, one in idle]),
    }
    return {name: estimate for name, estimate in found.items() if estimate is not None}


def _calls(result: Result) -> CallReport:
    found = result.details.get("calls")
    return CallReport.of_json(found) if isinstance(found, Mapping) else _NO_CALLS


def _estimate(values: Sequence[tuple[Result, float]]) -> Estimate | None:
    """One item may have several samples, which are not independent."""
    return score_estimate([value for _, value in values], [result.item_id for result, _ in values])
