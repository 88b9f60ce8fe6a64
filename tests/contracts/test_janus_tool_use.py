"""The simulated models hold the conversations of janus_tool_use; programs run in a sandbox."""

import asyncio

import pytest

from assay.adapters.models.directory import HttpModelDirectory
from assay.benchmarks.janus.tool_use.task import benchmark
from assay.domain.benchmark import Cue, Grade, Item, Services
from assay.domain.calls.messages import Completion, Generation, Prompt
from assay.engine.ports import Request

ITEM_SET = benchmark.load(benchmark.demo_tables())
NO_SERVICES = Services()
NO_CUE = Cue()


async def grade_of_model(item: Item, model: str, services: Services) -> Grade:
    client = HttpModelDirectory({}).open(model)

    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        return await client.complete(Request(prompt, Generation(), cue=lambda: cue))

    assert ITEM_SET.converse is not None
    completion = await ITEM_SET.converse(item, ask, services)
    return await benchmark.grade(item, completion, services)


async def scores(model: str, services: Services) -> list[float]:
    grades = await asyncio.gather(*(grade_of_model(item, model, services) for item in ITEM_SET.items))
    return [grade.score for grade in grades]


async def test_the_oracle_solves_every_task_with_real_programs(code_services: Services) -> None:
    assert await scores("sim/oracle", code_services) == [1.0] * 80


@pytest.mark.parametrize("model", ["sim/null", "sim/echo", "sim/refuse", "sim/random"])
async def test_baselines_score_nothing(model: str) -> None:
    assert await scores(model, NO_SERVICES) == [0.0] * 80


async def test_a_model_that_is_often_right_is_between_the_others(code_services: Services) -> None:
    assert 0.4 < sum(await scores("sim/good", code_services)) / 80 < 0.95
