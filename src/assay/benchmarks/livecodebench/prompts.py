"""The prompt of a problem."""

import tomllib
from importlib.resources import files

from assay.benchmarks.livecodebench.rows import Problem
from assay.domain.calls.messages import Message, Prompt

_WORDS: dict[str, str] = tomllib.loads(
    files("assay.benchmarks.livecodebench").joinpath("prompts.toml").read_text(encoding="utf-8")
)


def chat_prompt(problem: Problem) -> Prompt:
    """What the official runner sends to chat models."""
    return Prompt((Message("system", _WORDS["system"]), Message("user", question(problem))))


def question(problem: Problem) -> str:
    words = _WORDS["with_starter_code" if problem.starter_code else "without_starter_code"]
    code = problem.starter_code or _WORDS["no_code_yet"]
    return (
        f"### Question:\n{problem.text}\n\n### Format: {words}\n```python\n{code}\n```\n\n"
        "### Answer: (use the provided format with backticks)\n\n"
    )
