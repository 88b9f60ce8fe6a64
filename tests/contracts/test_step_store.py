"""The contract of the store for the replies of attempts under way."""

from dataclasses import replace
from decimal import Decimal

from assay.domain.attempt import AttemptKey, Call
from assay.domain.benchmark import ItemId
from assay.domain.calls.messages import Completion, Prompt, ToolCall, Usage
from assay.domain.calls.timing import Arrivals, stream_timing
from assay.domain.run import EvaluationId
from assay.domain.step import Step, prompt_digest
from assay.engine.stores import Stores
from tests.builders import NOON
from tests.contracts.test_fleet_store import new_run, nothing_more

KEY = AttemptKey(ItemId("0"), 0)
ARRIVALS = Arrivals(1.0, 2.0, (1.25, 1.5, 2.0), 1.25, 0.5, 1)
USAGE = Usage(10, 2, reported_cost_usd=Decimal("0.0001"), sandbox_s=1.5)
STEP = Step(
    "model",
    prompt_digest(Prompt.of_user("When is high tide?")),
    Completion(
        "naïve \u0000 \ud800",
        reasoning="hm",
        finish_reason="tool_calls",
        tool_calls=(ToolCall("1", "search", "{"),),
        usage=USAGE,
        timing=stream_timing(ARRIVALS, output_tokens=2),
        arrivals=ARRIVALS,
    ),
    (Call(NOON, 1000.0, status=200, usage=USAGE, timing=stream_timing(ARRIVALS, output_tokens=2)),),
)


async def evaluation_in(store: Stores) -> EvaluationId:
    new = new_run("run-1")
    await store.runs.create(new, within=nothing_more)
    return new.evaluations[0].id


async def test_steps_are_read_back_in_order(store: Stores) -> None:
    evaluation_id = await evaluation_in(store)
    second = replace(STEP, role="user")
    await store.steps.add(evaluation_id, KEY, 1, second)
    await store.steps.add(evaluation_id, KEY, 0, STEP)
    await store.steps.add(evaluation_id, AttemptKey(ItemId("0"), 1), 0, second)
    assert await store.steps.steps_of(evaluation_id, KEY) == (STEP, second)


async def test_a_step_of_the_same_number_is_replaced(store: Stores) -> None:
    evaluation_id = await evaluation_in(store)
    await store.steps.add(evaluation_id, KEY, 0, STEP)
    await store.steps.add(evaluation_id, KEY, 0, replace(STEP, prompt_digest="other"))
    (found,) = await store.steps.steps_of(evaluation_id, KEY)
    assert found.prompt_digest == "other"


async def test_steps_are_removed_from_a_number_on_and_with_their_evaluation(store: Stores) -> None:
    evaluation_id = await evaluation_in(store)
    for number in range(3):
        await store.steps.add(evaluation_id, KEY, number, STEP)
    await store.steps.remove_from(evaluation_id, KEY, 1)
    assert len(await store.steps.steps_of(evaluation_id, KEY)) == 1
    await store.steps.remove(evaluation_id)
    assert await store.steps.steps_of(evaluation_id, KEY) == ()
