"""The steps of a problem, asked one after the other; each prompt has the model's own code of those before."""

import json
from collections.abc import Mapping

from assay.benchmarks.scicode.extraction import code_in
from assay.benchmarks.scicode.prompts import Template, step_prompt
from assay.benchmarks.scicode.rows import AnsweredProblem, Problem, Step
from assay.domain.benchmark import Ask, Cue
from assay.domain.calls.messages import Completion, Json, Prompt


async def converse(answered: AnsweredProblem, ask: Ask, *, template: Template) -> Completion:
    """The replies to all steps, as one answer."""
    replies: dict[str, str] = {}
    reasoning: list[str] = []
    is_cut = False
    for step in answered.problem.asked:
        prompt = Prompt.of_user(next_prompt(answered.problem, replies, template=template))
        reply = await ask(prompt, cue=step_cue(answered, step))
        replies[step.number] = reply.answer
        reasoning += [reply.reasoning] if reply.reasoning else []
        is_cut = is_cut or reply.is_cut
    return Completion(
        whole_answer(replies),
        reasoning="\n\n".join(reasoning),
        finish_reason="length" if is_cut else "stop",
    )


def next_prompt(problem: Problem, replies: Mapping[str, str], *, template: Template) -> str:
    """The prompt of the first step that the model writes and has not replied to."""
    codes: list[str] = []
    for step in problem.steps:
        if step.prewritten is None and step.number not in replies:
            break
        codes.append(step.prewritten or code_in(replies[step.number]))
    return step_prompt(problem, codes, template=template)


def whole_answer(replies: Mapping[str, str]) -> str:
    return json.dumps(replies, ensure_ascii=False, indent=1)


def replies_in(answer: str, problem: Problem) -> Mapping[str, str]:
    """The reply to each step; an answer in no such form is the reply to the first."""
    try:
        found: Json = json.loads(answer)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return {problem.asked[0].number: answer}
    numbers = {step.number for step in problem.asked}
    return {number: reply for number, reply in found.items() if number in numbers and isinstance(reply, str)}


def step_cue(answered: AnsweredProblem, step: Step) -> Cue:
    right, wrong = answered.right.get(step.number, step.gold), answered.wrong.get(step.number)
    return Cue(right=_fenced(right), wrong=_fenced(wrong or right))


def whole_cue(answered: AnsweredProblem) -> Cue:
    steps = answered.problem.asked
    right = {step.number: step_cue(answered, step).right for step in steps}
    wrong = {step.number: step_cue(answered, step).wrong for step in steps}
    return Cue(right=_whole(right), wrong=_whole(wrong) if answered.wrong else None)


def _whole(replies: Mapping[str, str | None]) -> str | None:
    given = {number: reply for number, reply in replies.items() if reply is not None}
    return whole_answer(given) if len(given) == len(replies) else None


def _fenced(code: str | None) -> str | None:
    return None if code is None else f"```python\n{code}\n```"
