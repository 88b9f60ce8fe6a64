"""The judge's prompt, as in the official script, and how its reply is read."""

import json
import re
from collections.abc import Mapping

from assay.domain.benchmark import Cue
from assay.domain.calls.messages import Generation, Json, Prompt
from assay.domain.errors import GraderError
from assay.engine.graders.judge import JudgeQuestion, Verdict, judge_prompt, labelled_verdict

_PROMPT = r"""Judge whether the following [response] to [question] is correct or not based on the precise and unambiguous [correct_answer] below.

[question]: {question}

[response]: {response}

Your judgement must be in the format and criteria specified below:

extracted_final_answer: The final exact answer extracted from the [response]. Put the extracted answer as 'None' if there is no exact, final answer to extract from the response.

[correct_answer]: {correct_answer}

reasoning: Explain why the extracted_final_answer is correct or incorrect based on [correct_answer], focusing only on if there are meaningful differences between [correct_answer] and the extracted_final_answer. Do not comment on any background to the problem, do not attempt to solve the problem, do not argue for any answer different than [correct_answer], focus only on whether the answers match.

correct: Answer 'yes' if extracted_final_answer matches the [correct_answer] given above, or is within a small margin of error for numerical problems. Answer 'no' otherwise, i.e. if there if there is any inconsistency, ambiguity, non-equivalency, or if the extracted answer is incorrect.


confidence: The extracted confidence score between 0|\%| and 100|\%| from [response]. Put 100 if there is no confidence score available."""  # noqa: E501

_FIELDS = ("extracted_final_answer", "reasoning", "correct", "confidence", "strict")
_SCHEMA: Mapping[str, Json] = {
    "type": "json_schema",
    "json_schema": {
        "name": "ExtractedAnswer",
        "strict": True,
        "schema": {
            "title": "ExtractedAnswer",
            "type": "object",
            "properties": {
                "extracted_final_answer": {"title": "Extracted Final Answer", "type": "string"},
                "reasoning": {"title": "Reasoning", "type": "string"},
                "correct": {"title": "Correct", "type": "string", "enum": ["yes", "no"]},
                "confidence": {"title": "Confidence", "type": "integer"},
                "strict": {"title": "Strict", "type": "boolean", "const": True},
            },
            "required": list(_FIELDS),
            "additionalProperties": False,
        },
    },
}
_GENERATION = Generation(max_tokens=4096)
_STATED = re.compile(r"(?mi)^[ \t*_]{0,8}confidence[ \t*_]{0,8}:[ \t*_]{0,8}(\d{1,3})(?:\.\d{1,9})?[ \t]?%?")
_NUMBER = re.compile(r"(\d{1,3})(?:\.\d+)?\s*%?")
_SURE = 100
# The confidence is the last line that the prompt asks for.
_END_CHARACTERS = 2_000


def judge_question(question: str, response: str, expected: str) -> JudgeQuestion:
    prompt = judge_prompt(_PROMPT, {"question": question, "response": response, "correct_answer": expected})
    return JudgeQuestion(
        Prompt(prompt.messages, {"response_format": _SCHEMA}),
        _GENERATION,
        _cue(response, expected),
        lambda reply: read_verdict(reply, expected),
    )


def read_verdict(reply: str, expected: str) -> Verdict:
    """The fields of a judgement that the official script stores, under its names."""
    verdict = labelled_verdict(reply, key="correct", others=_FIELDS)
    said = verdict.details
    answer = said.get("extracted_final_answer")
    return Verdict(
        verdict.is_correct,
        extracted=answer if isinstance(answer, str) else None,
        details={
            "correct_answer": expected,
            "model_answer": answer,
            "reasoning": said.get("reasoning"),
            "correct": "yes" if verdict.is_correct else "no",
            "confidence": _confidence(said.get("confidence")),
        },
    )


def _confidence(value: Json) -> int:
    """100 if the judge states none, as the judge does if the answer states none."""
    if value is None:
        return _SURE
    if isinstance(value, str):
        found = _NUMBER.fullmatch(value.strip(" *_."))
        value = int(found[1]) if found else None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _SURE:
        raise GraderError(f"the judge's confidence must be a number from 0 to {_SURE}, not {value!r}")
    return int(value)


def _cue(response: str, expected: str) -> Cue:
    """Replies of a judge for and against the answer, with the confidence that it states."""
    stated = _STATED.search(response[-_END_CHARACTERS:])
    confidence = min(int(stated[1]), _SURE) if stated else _SURE

    def reply(correct: str) -> str:
        return json.dumps(
            {
                "extracted_final_answer": expected if correct == "yes" else "None",
                "reasoning": "compared with the expected answer",
                "confidence": confidence,
                "strict": True,
                "correct": correct,
            },
            ensure_ascii=False,
        )

    return Cue(right=reply("yes"), wrong=reply("no"), choices=("yes", "no"), judged=(response, expected))
