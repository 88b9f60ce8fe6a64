"""The official prompts: one message per step, with the model's own code of the steps before it."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Literal, TypeAlias

from assay.benchmarks.scicode.rows import Problem, Step

Template: TypeAlias = Literal["default", "with_background"]

_TEMPLATES = files("assay.benchmarks.scicode").joinpath("templates")


def step_prompt(problem: Problem, codes: Sequence[str], *, template: Template) -> str:
    """The prompt of the step after those whose code is given."""
    earlier: list[str] = []
    for step, code in zip(problem.steps, codes, strict=False):
        earlier += [_description(step, template), code, "------"]
    step = problem.steps[len(codes)]
    wanted = "\n\n".join([_description(step, template), f"{step.header}\n\n{step.return_line}"])
    # Formatted once: code of a model may contain braces.
    return _template(template).format(
        problem_steps_str="\n\n".join(earlier[:-1]), next_step_str=wanted, dependencies=problem.dependencies
    )


def _description(step: Step, template: Template) -> str:
    return f"{step.description}\n{step.background}" if template == "with_background" else step.description


def _template(name: Template) -> str:
    return _TEMPLATES.joinpath(f"{name}.txt").read_text(encoding="utf-8")
