"""Prompts and aggregates against the official ones; the authors' own code must pass every test."""

import asyncio
import gzip
import json
import os
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.datasets.files import tables_at
from assay.benchmarks.scicode.prompts import step_prompt
from assay.benchmarks.scicode.rows import Problem, problem_of
from assay.benchmarks.scicode.splitting import split_tests
from assay.benchmarks.scicode.task import SciCode, benchmark
from assay.domain.benchmark import Item, Result, Services
from assay.domain.calls.messages import Completion
from assay.domain.outcome import Outcome
from tests.conftest import prepared

pytestmark = pytest.mark.official

# Those of the development set whose tests take seconds; the others take minutes.
QUICK = ("1", "3", "19")


def items(official: Path, by: SciCode) -> dict[str, Item]:
    return {item.id: item for item in by.load(tables_at(official / "scicode", by.card.source)).items}


@pytest.fixture(scope="module")
def test_items(official: Path) -> dict[str, Item]:
    return items(official, benchmark)


@pytest.fixture(scope="module")
def dev_items(official: Path) -> dict[str, Item]:
    return items(official, benchmark.variants["dev"])


@pytest.fixture(scope="module")
def problems(test_items: dict[str, Item], dev_items: dict[str, Item]) -> dict[str, Problem]:
    return {item_id: problem_of(item.fields) for item_id, item in (test_items | dev_items).items()}


def test_the_official_problems_have_the_official_steps(
    test_items: dict[str, Item], dev_items: dict[str, Item]
) -> None:
    tested = [problem_of(item.fields) for item in test_items.values()]
    developed = [problem_of(item.fields) for item in dev_items.values()]
    assert (len(tested), sum(len(one.steps) for one in tested), sum(len(one.asked) for one in tested)) == (
        65,
        291,
        288,
    )
    assert (len(developed), sum(len(one.asked) for one in developed)) == (15, 50)


def test_every_prompt_is_the_official_one(official: Path, problems: dict[str, Problem]) -> None:
    differing: list[tuple[str, int]] = []
    count = 0
    with gzip.open(
        official / "scicode" / "official_solver_prompts.jsonl.gz", "rt", encoding="utf-8"
    ) as lines:
        for row in map(json.loads, lines):
            template = "with_background" if row["with_background"] else "default"
            for asked in row["prompts"]:
                codes = row["step_codes_before_last"][: asked["step"] - 1]
                prompt = step_prompt(problems[row["problem_id"]], codes, template=template)
                count += 1
                if sha256(prompt.encode()).hexdigest() != asked["sha256"]:
                    differing.append((row["problem_id"], asked["step"]))
    assert count > 400
    assert not differing


@pytest.mark.parametrize(
    ("template", "name"),
    [("default", "background_comment_template"), ("with_background", "multistep_template")],
)
def test_the_templates_are_the_official_ones(official: Path, template: str, name: str) -> None:
    ours = Path("src/assay/benchmarks/scicode/templates", f"{template}.txt").read_bytes()
    assert ours == (official / "scicode" / f"{name}.txt").read_bytes()


def test_every_test_can_be_parted_from_its_target(problems: dict[str, Problem]) -> None:
    assertions = 0
    for problem in problems.values():
        for step in problem.asked:
            assertions += len(split_tests(problem.dependencies, step.tests).assertions)
    assert assertions > 1000


def test_aggregates_are_the_official_ones(official: Path, test_items: dict[str, Item]) -> None:
    runs: dict[str, Any] = json.loads((official / "scicode" / "step_verdicts.json").read_text())
    assert runs
    for run in runs.values():
        results = [_result(item, run["steps"]) for item in test_items.values()]
        figures = benchmark.metrics(results)
        assert figures["sub_problems"].n == run["total_steps"]
        assert round(figures["sub_problems"].value * run["total_steps"]) == run["passed"]
        assert f"{100 * figures['sub_problems'].value:.2f}" == run["subproblem_rate_percent"]
        assert figures["sub_problems_inspect_ai"].n == run["total_steps"] + 3


def _result(item: Item, verdicts: dict[str, str]) -> Result:
    problem = problem_of(item.fields)
    steps = {step.number: verdicts[step.number] for step in problem.asked}
    prewritten = [step.number for step in problem.steps if step.prewritten is not None]
    details = {"steps": steps, "prewritten": prewritten}
    return Result(item.id, 0, Outcome.INCORRECT, 0.0, item.category, None, details)


async def test_the_authors_own_code_passes(dev_items: dict[str, Item], code_services: Services) -> None:
    """Set ASSAY_SLOW_TESTS=1 to run all fifteen problems, which takes several minutes."""
    dev = benchmark.variants["dev"]
    prepared("scicode", dev)
    chosen = dev_items if os.environ.get("ASSAY_SLOW_TESTS") else {key: dev_items[key] for key in QUICK}
    together = asyncio.Semaphore(2)

    async def grade(item: Item) -> dict[str, Any]:
        gold = {step.number: f"```python\n{step.gold}\n```" for step in problem_of(item.fields).steps}
        async with together:
            graded = await dev.grade(item, Completion(dev.whole(item, gold)), code_services)
        return dict(graded.details)

    for details in await asyncio.gather(*map(grade, chosen.values())):
        assert set(details["steps"].values()) == {"pass"}, details
