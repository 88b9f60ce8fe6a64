"""Grading by the judges of the run: against a requirement, or by a rubric of one's own."""

from collections.abc import Mapping

from assay.domain.benchmark import Cue, Grade, Services
from assay.domain.calls.messages import Generation
from assay.domain.json_value import Json
from assay.engine.graders.judge import JudgeQuestion, grade_by_judge, judge_prompt

_JUDGING = Generation(temperature=0.0)
_REQUIREMENT = """Decide whether an answer meets a requirement. Judge only what the requirement asks for.

[Question]
{question}

[Requirement for a correct answer]
{expected}

[Answer]
{answer}

Reply with one word: CORRECT if the answer meets the requirement, INCORRECT if it does not."""
_OWN = """Decide whether an answer meets a rubric. Judge only what the rubric asks for.

[Rubric]
{rubric}

[Question]
{question}

[Expected answer]
{expected}

[Answer]
{answer}

Reply with one word: CORRECT if the answer meets the rubric, INCORRECT if it does not."""


async def grade_by_rubric(
    options: Mapping[str, Json], *, question: str, expected: str, answer: str, services: Services
) -> Grade:
    rubric = options.get("rubric")
    fields = {"question": question, "expected": expected, "answer": answer}
    if isinstance(rubric, str):
        fields = {**fields, "expected": expected or "none is given", "rubric": rubric}
    template = _OWN if isinstance(rubric, str) else _REQUIREMENT
    asked = JudgeQuestion(
        prompt=judge_prompt(template, fields),
        generation=_JUDGING,
        cue=Cue(right="CORRECT", wrong="INCORRECT", judged=(answer, expected)),
    )
    return await grade_by_judge(services.required_panel(), asked)
