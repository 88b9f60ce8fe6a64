"""SciCode: research problems in steps, each a Python function that must pass numeric tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Literal

from assay.benchmarks.scicode.aggregates import aggregates
from assay.benchmarks.scicode.conversation import (
    converse,
    next_prompt,
    replies_in,
    whole_answer,
    whole_cue,
)
from assay.benchmarks.scicode.grading import GoldValues, StepResult, step_results
from assay.benchmarks.scicode.prompts import Template
from assay.benchmarks.scicode.rows import AnsweredProblem, Problem, problem_of, problems
from assay.benchmarks.scicode.running import TIME_LIMIT_S, StepRunner
from assay.domain.benchmark import (
    Ask,
    Card,
    Cue,
    Environment,
    Grade,
    Item,
    ItemId,
    ItemSet,
    Prepared,
    Result,
    Row,
    Services,
    Tables,
)
from assay.domain.calls.messages import Completion, Prompt
from assay.domain.errors import DataMissingError
from assay.domain.outcome import Outcome
from assay.domain.stats import Estimate
from assay.engine.planning.card import load_card
from assay.engine.planning.demo_items import DemoTables

_FOLDER = files("assay.benchmarks.scicode")
_NAME = "scicode"
_DEV_SIZE = 15
TARGETS = "test_data.h5"
# Two problems import scipy.integrate.simps, which SciPy 1.14 no longer has; one imports mpl_toolkits.
ENVIRONMENT = Environment(
    ("numpy==1.26.4", "scipy==1.13.1", "h5py==3.11.0", "sympy==1.13.3", "matplotlib==3.9.4"), ("3.11", "3.12")
)
# The fields of a step that its prompt and its tests are made from.
_STEP_FIELDS = (
    *("step_number", "step_description_prompt", "step_background", "function_header", "return_line"),
    *("test_cases", "ground_truth_code"),
)


@dataclass(frozen=True, slots=True)
class SciCode:
    card: Card
    template: Template = "default"
    split: Literal["test", "validation"] = "test"
    variants: Mapping[str, "SciCode"] = field(default_factory=dict[str, "SciCode"])
    gold_values: GoldValues = field(default_factory=GoldValues)

    @property
    def environment(self) -> Environment:
        return ENVIRONMENT

    @property
    def user_files(self) -> Mapping[str, str]:
        return {TARGETS: "the numeric targets of the official tests, about 1 GB"}

    def check_prepared(self, items: Sequence[Item], prepared: Prepared) -> None:
        prepared.python(_NAME, ENVIRONMENT)
        lacking = [
            item.id for item in items if any(step.gold is None for step in problem_of(item.fields).asked)
        ]
        if lacking and prepared.file(_NAME, TARGETS) is None:
            raise DataMissingError(
                f"problem {lacking[0]!r} is tested against the official numeric targets, which are not here:"
                f" download {TARGETS} and run `assay data prepare {_NAME} --file {TARGETS}`"
            )

    def load(self, tables: Tables) -> ItemSet:
        where = f"{self.card.name}, split {self.split!r}"
        answered: dict[ItemId, AnsweredProblem] = {}
        items: list[Item] = []
        for one in problems(tables.rows(self.split), where=where):
            item = _item(one.problem)
            items.append(item)
            answered[item.id] = one

        def prompt(item: Item) -> Prompt:
            return Prompt.of_user(next_prompt(answered[item.id].problem, {}, template=self.template))

        def cue(item: Item) -> Cue:
            return whole_cue(answered[item.id])

        async def conversation(item: Item, ask: Ask, _services: Services) -> Completion:
            return await converse(answered[item.id], ask, template=self.template)

        return ItemSet(tuple(items), prompt, cue, converse=conversation)

    async def grade(self, item: Item, completion: Completion, services: Services) -> Grade:
        problem = problem_of(item.fields)
        prepared = services.required_prepared()
        runner = StepRunner(
            services.required_sandbox(),
            prepared.python(_NAME, ENVIRONMENT),
            targets=prepared.file(_NAME, TARGETS),
            time_limit_s=TIME_LIMIT_S,
        )
        replies = replies_in(completion.answer, problem)
        results = await step_results(problem, replies, runner, self.gold_values)
        prewritten = [step.number for step in problem.steps if step.prewritten is not None]
        return _grade(results, prewritten)

    def metrics(self, results: Sequence[Result]) -> Mapping[str, Estimate]:
        return aggregates(results)

    def demo_tables(self) -> Tables:
        return DemoTables(_FOLDER, {"test": "demo.jsonl", "validation": "demo.jsonl"})

    def parts(self, item: Item) -> Sequence[str]:
        return [step.number for step in problem_of(item.fields).asked]

    def whole(self, item: Item, replies: Mapping[str, str]) -> str:  # noqa: ARG002 - protocol
        return whole_answer(replies)


def _item(problem: Problem) -> Item:
    steps: list[Row] = [
        dict(
            zip(
                _STEP_FIELDS,
                (
                    *(step.number, step.description, step.background, step.header, step.return_line),
                    *(list(step.tests), step.gold),
                ),
                strict=True,
            )
        )
        for step in problem.steps
    ]
    fields: Row = {
        "problem_id": problem.id,
        "problem_name": problem.name,
        "required_dependencies": problem.dependencies,
        "sub_steps": steps,
    }
    count = len(problem.asked)
    return Item(
        ItemId(problem.id),
        fields,
        expected=f"passes the tests of {'its step' if count == 1 else f'all {count} steps'}",
        category=f"{count} step{'' if count == 1 else 's'}",
    )


def _grade(results: Sequence[StepResult], prewritten: Sequence[str]) -> Grade:
    failed = [result for result in results if result.tested.verdict != "pass"]
    shown = failed[0] if failed else results[-1]
    reasons = "; ".join(f"{one.step.number}: {one.tested.reason or one.tested.verdict}" for one in failed)
    explanation = f"passed {len(results) - len(failed)} of {len(results)} steps"
    return Grade(
        Outcome.INCORRECT if failed else Outcome.CORRECT,
        0.0 if failed else 1.0,
        explanation=f"{explanation}; failed {reasons}" if failed else explanation,
        details={
            "steps": {result.step.number: result.tested.verdict for result in results},
            "prewritten": list(prewritten),
        },
        test_code=shown.program + "\n\n" + "\n".join(shown.step.tests),
    )


def _variant(name: str, template: Template, split: Literal["test", "validation"]) -> SciCode:
    card = load_card(_FOLDER, variant=name)
    return SciCode(card if split == "test" else replace(card, size=_DEV_SIZE), template, split)


benchmark = SciCode(
    load_card(_FOLDER),
    variants={
        "with_background": _variant("with_background", "with_background", "test"),
        "dev": _variant("dev", "default", "validation"),
        "dev_with_background": _variant("dev_with_background", "with_background", "validation"),
    },
)
