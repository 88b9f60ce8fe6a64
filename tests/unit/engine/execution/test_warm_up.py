from dataclasses import replace

from assay.domain.calls.messages import Completion, Usage
from assay.domain.errors import ServerError
from assay.domain.event import EventType
from assay.domain.run import Budget, Run, State
from assay.engine.ports import Request
from tests.builders import ScriptedModel, World, right


async def warmed_up(world: World, run: Run) -> list[object]:
    events = await world.store.events.page(run.id)
    return [dict(one.data) for one in events if one.type is EventType.MODEL_WARMED_UP]


async def test_a_model_is_asked_before_the_first_item_and_once_for_all_shards() -> None:
    world = World()
    run = await world.run(warmup=3)
    prompts = [one.prompt.text for one in world.model.requests]
    assert len(set(prompts[:3])) == 1
    assert not any(prompt.startswith("Say") for prompt in prompts[:3])
    assert all(prompt.startswith("Say") for prompt in prompts[3:])
    assert len(prompts) == 7
    [evaluation] = await world.store.runs.evaluations(run.id)
    assert evaluation.summary is not None
    assert evaluation.summary.total == 4
    assert await warmed_up(world, run) == [
        {"requests": 3, "failed": 0, "input_tokens": 30, "output_tokens": 3, "cost_usd": None}
    ]


async def test_nothing_is_asked_beforehand_unless_the_run_says_so() -> None:
    world = World()
    run = await world.run()
    assert len(world.model.requests) == 4
    assert await warmed_up(world, run) == []


async def test_a_request_that_fails_is_counted_and_harms_nothing() -> None:
    def script(request: Request, number: int) -> Completion | ServerError:
        return ServerError("asked to fail", status=500) if number == 1 else right(request, number)

    world = World(model=ScriptedModel(script))
    run = await world.run(warmup=2)
    assert run.state is State.SUCCEEDED
    [said] = await warmed_up(world, run)
    assert said == {"requests": 2, "failed": 1, "input_tokens": 10, "output_tokens": 1, "cost_usd": None}


async def test_its_tokens_count_towards_the_budget() -> None:
    def script(request: Request, number: int) -> Completion:
        return replace(right(request, number), usage=Usage(500, 500))

    world = World(model=ScriptedModel(script))
    run = await world.run(warmup=1, budget=Budget(tokens=900))
    assert run.state is State.PAUSED
    assert len(world.model.requests) == 1
