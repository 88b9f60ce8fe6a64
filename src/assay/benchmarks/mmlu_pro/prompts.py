"""The prompt of a question."""

import tomllib
from collections.abc import Sequence
from importlib.resources import files

from assay.benchmarks.mmlu_pro.rows import LETTERS, Question

_WORDS: dict[str, str] = tomllib.loads(
    files("assay.benchmarks.mmlu_pro").joinpath("prompts.toml").read_text(encoding="utf-8")
)
_STEP_BY_STEP = _WORDS["step_by_step"]


def few_shot_opening(category: str, examples: Sequence[Question]) -> str:
    header = _WORDS["few_shot"].replace("{category}", category)
    return header + "".join(_few_shot_block(example, example.worked or _STEP_BY_STEP) for example in examples)


def few_shot_question(question: Question) -> str:
    return _few_shot_block(question, _STEP_BY_STEP)


def _few_shot_block(question: Question, answer: str) -> str:
    options = _listed(question, ". ")
    return f"Question: {question.text}\nOptions: {options}\nAnswer: {answer.removeprefix('A: ')}\n\n"


def local_opening(category: str, examples: Sequence[Question]) -> str:
    header = _WORDS["local"].replace("{category}", category)
    return header + "".join(_local_block(example) + _local_worked(example) for example in examples)


def local_question(question: Question) -> str:
    return f"{_local_block(question)}Answer: {_STEP_BY_STEP}"


def _local_block(question: Question) -> str:
    return f"Question:\n{question.text}\nOptions:\n{_listed(question, '. ')}\n"


def _local_worked(example: Question) -> str:
    return example.worked.replace(f"A: {_STEP_BY_STEP}", f"Answer: {_STEP_BY_STEP}") + "\n\n"


def zero_shot_opening(_category: str, _examples: Sequence[Question]) -> str:
    return _WORDS["zero_shot"]


def zero_shot_question(question: Question) -> str:
    return f"{question.text}\n\n{_listed(question, ') ')}"


def _listed(question: Question, between: str) -> str:
    lines = [letter + between + option for letter, option in zip(LETTERS, question.options, strict=False)]
    return "\n".join(lines)
