"""A right answer is worth less with every call that it did not need."""

import json

import pytest

from assay.benchmarks.janus.cost.task import benchmark
from assay.domain.benchmark import Cue, Item, Services
from assay.domain.calls.messages import Completion, Prompt, ToolCall
from assay.domain.outcome import Outcome

ITEM_SET = benchmark.load(benchmark.demo_tables())
ITEMS = {item.id.removeprefix("janus_cost_"): item for item in ITEM_SET.items}
NO_CALL, ONE_CALL = ITEMS["minimal_tools_01"], ITEMS["minimal_tools_07"]
NEEDED = ToolCall("1", "track_parcel", json.dumps(ONE_CALL.fields["evaluation"]["calls"][0][0]["arguments"]))  # type: ignore[index, call-overload]
_NO_CUE = Cue()
OTHER = ToolCall("2", "calculate", '{"expression": "7 * 12"}')


async def score(item: Item, *turns: tuple[ToolCall, ...], answer: str | None = None) -> tuple[Outcome, float]:
    """What a model gets that makes these calls, turn by turn, and then answers."""
    replies = [Completion("", tool_calls=calls) for calls in turns]
    replies.append(Completion(f"Answer: {answer or item.expected}"))
    asked: list[Prompt] = []

    async def ask(prompt: Prompt, *, cue: Cue = _NO_CUE) -> Completion:
        del cue
        asked.append(prompt)
        return replies[len(asked) - 1]

    assert ITEM_SET.converse is not None
    completion = await ITEM_SET.converse(item, ask, Services())
    assert "tools" in asked[0].extra
    grade = await benchmark.grade(item, completion, Services())
    return grade.outcome, grade.score


@pytest.mark.parametrize(("calls", "expected"), [(0, 1.0), (1, 0.6), (2, 0.3), (3, 0.1), (4, 0.0)])
async def test_where_no_call_is_needed_each_costs(calls: int, expected: float) -> None:
    assert (await score(NO_CALL, *[(OTHER,)] * calls))[1] == expected


async def test_the_needed_call_is_needed() -> None:
    assert await score(ONE_CALL) == (Outcome.INCORRECT, 0.0)
    assert await score(ONE_CALL, (NEEDED,)) == (Outcome.CORRECT, 1.0)
    assert await score(ONE_CALL, (NEEDED,), (NEEDED,)) == (Outcome.PARTIAL, 0.6)
    assert await score(ONE_CALL, (ToolCall("1", "track_parcel", "{}"),), (NEEDED,)) == (Outcome.PARTIAL, 0.6)


async def test_a_wrong_answer_is_worth_nothing_whatever_was_called() -> None:
    assert await score(ONE_CALL, (NEEDED,), answer="2026-01-01") == (Outcome.INCORRECT, 0.0)
    assert (await score(NO_CALL, answer="I do not know"))[1] == 0


async def test_other_tasks_are_asked_once_and_without_tools() -> None:
    item = ITEMS["direct_answer_01"]

    async def ask(prompt: Prompt, *, cue: Cue = _NO_CUE) -> Completion:
        assert prompt.extra == {}
        return Completion(cue.right or "")

    assert ITEM_SET.converse is not None
    completion = await ITEM_SET.converse(item, ask, Services())
    assert (await benchmark.grade(item, completion, Services())).score == 1
