"""From the replies to a problem's steps to a verdict on each of them."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from assay.benchmarks.scicode.extraction import code_in
from assay.benchmarks.scicode.rows import Problem, Step
from assay.benchmarks.scicode.running import ReportedValues, StepRunner, Tested, judged, reported_values
from assay.benchmarks.scicode.splitting import SplitTests, split_tests
from assay.domain.errors import DataError
from assay.domain.json_value import digest

_MOST_KEPT = 512


@dataclass(frozen=True, slots=True)
class StepResult:
    step: Step
    tested: Tested
    program: str


class GoldValues:
    """Values that the authors' code reports, cached between attempts at a problem."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, ReportedValues] = OrderedDict()

    async def of(self, runner: StepRunner, problem: Problem, step: Step, tests: SplitTests) -> ReportedValues:
        codes = {one.number: one.prewritten or one.gold or "" for one in problem.steps}
        program = program_of(problem, step, codes)
        key = digest([runner.python, program, tests.model_source])
        if key not in self._kept:
            reported = await reported_values(runner, program, tests)
            if not reported.is_whole:
                raise DataError(
                    f"the authors' own code fails the tests of step {step.number}: no target is known"
                )
            self._kept[key] = reported
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]


async def step_results(
    problem: Problem, replies: Mapping[str, str], runner: StepRunner, gold_values: GoldValues
) -> list[StepResult]:
    """The steps that a model writes, in order; each with the model's own code of the earlier steps."""
    codes = {step.number: step.prewritten or code_in(replies.get(step.number, "")) for step in problem.steps}
    results: list[StepResult] = []
    for step in problem.asked:
        program = program_of(problem, step, codes)
        if not codes[step.number].strip():
            tested = Tested("fail", "no code in the reply")
        else:
            tested = await _tested(problem, step, program, runner, gold_values)
        results.append(StepResult(step, tested, program))
    return results


def program_of(problem: Problem, step: Step, codes: Mapping[str, str]) -> str:
    """The official file of a step: imports, the code of the earlier steps, its own code."""
    before: list[str] = []
    for one in problem.steps:
        if one.number == step.number:
            break
        before.append(codes[one.number])
    return f"{problem.dependencies}\n{chr(10).join(before)}\n\n{codes[step.number]}"


async def _tested(
    problem: Problem, step: Step, program: str, runner: StepRunner, gold_values: GoldValues
) -> Tested:
    tests = split_tests(problem.dependencies, step.tests)
    gold = await gold_values.of(runner, problem, step, tests) if step.gold is not None else None
    if gold is None and runner.targets is None:
        raise DataError(
            f"step {step.number} has no targets: give the official file with `assay data prepare`"
        )
    reported = await reported_values(runner, program, tests)
    return await judged(runner, step.number, problem.dependencies, tests, reported=reported, gold=gold)
