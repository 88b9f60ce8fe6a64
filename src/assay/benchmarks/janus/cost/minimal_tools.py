"""Tasks with tools of which none is needed, or exactly one; further calls cost points."""

from dataclasses import replace

from assay.benchmarks.janus.answer_lines import answer_protocol, grade_answer_lines
from assay.benchmarks.janus.benchmark import TaskKind
from assay.benchmarks.janus.tools.calls import compared, final_text, made_calls
from assay.benchmarks.janus.tools.conversation import converse
from assay.benchmarks.janus.tools.simulator import Simulator
from assay.benchmarks.janus.tools.tasks import task_cues, task_needs, task_tools
from assay.domain.benchmark import Ask, Cue, Grade, Row
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.calls.transcript import transcript_in
from assay.domain.outcome import Outcome

# The score of a right answer by how many calls were made that it did not need; with more it is 0.
_SCORES = (1.0, 0.6, 0.3, 0.1)
_RULE = "You may call the tools, but every call costs: make none that you can do without."


def with_tools(task: Row, prompt: Prompt) -> Prompt:
    tools = [tool.definition for tool in task_tools(task).values()]
    return replace(prompt, extra={"tools": tools, "tool_choice": "auto"})


async def converse_with_tools(task: Row, prompt: Prompt, ask: Ask) -> Completion:
    return await converse(prompt, Simulator(task_tools(task)), task_cues(task), ask)


def grade_minimal_tools(task: Row, completion: Completion) -> Grade:
    transcript = transcript_in(completion.answer)
    if transcript is None:
        return Grade(Outcome.UNPARSED, 0.0, explanation="the answer is not a transcript of a conversation")
    report = compared(task_needs(task), made_calls(transcript, task_tools(task)))
    said = grade_answer_lines(task, Completion(final_text(transcript)))
    details = {**said.details, "calls": report.to_json()}
    explanation = f"{said.explanation}; {report.made} calls, {report.needed} needed"
    if said.outcome is not Outcome.CORRECT or report.met < report.needed:
        outcome = said.outcome if said.outcome is Outcome.UNPARSED else Outcome.INCORRECT
        return Grade(outcome, 0.0, said.extracted, explanation, details)
    further = report.made - report.needed
    score = _SCORES[further] if further < len(_SCORES) else 0.0
    outcome = {0.0: Outcome.INCORRECT, 1.0: Outcome.CORRECT}.get(score, Outcome.PARTIAL)
    return Grade(outcome, score, said.extracted, explanation, details)


def _protocol(task: Row) -> str:
    return f"{_RULE} {answer_protocol(task)}"


def _cue(task: Row) -> Cue:
    return task_cues(task).whole


MINIMAL_TOOLS = TaskKind(_protocol, grade_minimal_tools, _cue)
