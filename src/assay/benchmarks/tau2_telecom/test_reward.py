"""Rewards of conversations of our own tasks: what is replayed, compared and asserted."""

from dataclasses import replace
from typing import Any

import pytest

from assay.benchmarks.tau2_telecom.environment import Requestor
from assay.benchmarks.tau2_telecom.grading import graded, pass_hat_ks
from assay.benchmarks.tau2_telecom.reward import MadeCall, Reward, reward
from assay.benchmarks.tau2_telecom.script import whole_cue
from assay.benchmarks.tau2_telecom.task import ReleaseTables, benchmark
from assay.benchmarks.tau2_telecom.tasks import Action, TelecomTask, parse_task
from assay.domain.benchmark import ItemId, Result
from assay.domain.calls.transcript import transcript_text
from assay.domain.errors import GraderError
from assay.domain.outcome import Outcome

TABLES = benchmark.demo_tables()
assert isinstance(TABLES, ReleaseTables)
WORLD = TABLES.release.world
AIRPLANE, ROAMING, UNPAID, LOCKED = map(parse_task, TABLES.release.rows)


def made(task: TelecomTask, *calls: tuple[Requestor, str, dict[str, Any]]) -> list[MadeCall]:
    environment = WORLD.prepared(task)
    return [MadeCall(*call, environment.call(*call).content) for call in calls]


def of(task: TelecomTask, calls: list[MadeCall], *said: str, ended: str | None = "user_stop") -> Reward:
    return reward(task, WORLD, calls, said, ended=ended)


SOLVING = made(AIRPLANE, ("user", "toggle_airplane_mode", {}), ("user", "toggle_data", {}))


@pytest.mark.parametrize("ended", ["max_steps", "too_many_errors", "agent_error", "user_error", None, "x"])
def test_only_conversations_that_were_ended_have_a_reward(ended: str | None) -> None:
    assert of(AIRPLANE, SOLVING).value == 1.0
    assert of(AIRPLANE, SOLVING, ended=ended) == Reward(0.0)


def test_the_reward_is_the_product_of_the_named_parts() -> None:
    found = of(AIRPLANE, SOLVING)
    assert found.breakdown == {"ENV_ASSERTION": 1.0, "DB": 1.0}
    wifi = made(AIRPLANE, ("user", "toggle_airplane_mode", {}), ("user", "toggle_wifi", {}))[1]
    more = [*SOLVING, replace(wifi, answer=wifi.answer.replace("📵 Data Disabled", "📱 Data Enabled"))]
    assert of(AIRPLANE, more).breakdown == {"ENV_ASSERTION": 1.0, "DB": 0.0}
    assert of(replace(AIRPLANE, basis=("ENV_ASSERTION", "ENV_ASSERTION")), more).value == 1.0


def test_an_expected_call_is_met_by_the_arguments_that_a_call_has() -> None:
    transfer = [
        MadeCall("assistant", "transfer_to_human_agents", {"summary": "whatever"}, "Transfer successful")
    ]
    assert of(LOCKED, transfer).value == 1.0
    assert of(LOCKED, []).breakdown == {"ENV_ASSERTION": 1.0, "ACTION": 0.0}
    action = Action("assistant", "f", {"a": 1, "b": 2})
    assert [action.is_met_by("f", one) for one in ({}, {"a": 1}, {"a": 1, "c": 3}, {"a": 2})] == [
        True,
        True,
        False,
        False,
    ]
    compared = replace(action, compared=("a",))
    assert [compared.is_met_by("f", one) for one in ({"a": 1, "b": 9}, {"b": 2}, {})] == [True, False, False]
    assert not action.is_met_by("g", {"a": 1})


def test_texts_are_looked_for_in_what_the_agent_said() -> None:
    task = replace(AIRPLANE, information=("1000 EUR",), basis=("COMMUNICATE",))
    assert of(task, [], "It costs 1,000 eur.").value == 1.0
    assert of(task, [], "It costs nothing.").value == 0.0


def test_a_task_that_wants_nothing_is_always_met() -> None:
    assert of(replace(AIRPLANE, has_criteria=False), []) == Reward(1.0)
    nothing = replace(AIRPLANE, actions=None, assertions=None, basis=("DB", "COMMUNICATE"))
    assert of(nothing, SOLVING).value == 1.0


def test_calls_that_read_fail_or_could_not_be_read_are_not_repeated() -> None:
    odd = [
        MadeCall("user", "check_status_bar", {}, "something else"),
        MadeCall("assistant", "no_such_tool", {}, "Error: Tool 'no_such_tool' not found."),
        MadeCall("user", "toggle_data", None, "Error: the arguments must be a JSON object"),
        MadeCall("assistant", "toggle_data", {}, "Error: Tool 'toggle_data' not found."),
    ]
    assert of(AIRPLANE, [*odd, *SOLVING]).value == 1.0


def test_an_answer_that_is_not_the_stored_one_is_no_verdict() -> None:
    with pytest.raises(GraderError, match="'toggle_data' answers"):
        of(AIRPLANE, [SOLVING[0], replace(SOLVING[1], answer="Mobile Data is now OFF.")])
    with pytest.raises(GraderError):
        of(AIRPLANE, SOLVING[1:])


def test_calls_that_failed_need_not_fail_in_the_same_words() -> None:
    failed = made(AIRPLANE, ("user", "set_apn_settings", {"apn_settings": {"apn_name": "x"}}))[0]
    assert failed.answer.startswith("Error: 1 validation error")
    assert of(AIRPLANE, [replace(failed, answer="Error: other words"), *SOLVING]).value == 1.0
    with pytest.raises(GraderError):
        of(AIRPLANE, [replace(failed, answer="APN settings set to: x"), *SOLVING])


def test_answers_are_compared_as_json() -> None:
    call = made(
        ROAMING, ("assistant", "refuel_data", {"customer_id": "C2001", "line_id": "L2001", "gb_amount": 1})
    )
    spaced = [replace(call[0], answer=call[0].answer.replace(", ", ",\n"))]
    assert of(ROAMING, spaced).breakdown == {"ENV_ASSERTION": 0.0}


def test_a_transcript_has_calls_of_both_sides() -> None:
    for task in (AIRPLANE, ROAMING, UNPAID, LOCKED):
        cue = whole_cue(task, WORLD)
        right, wrong = (graded(task, WORLD, str(one)) for one in (cue.right, cue.wrong))
        assert (right.outcome, right.score) == (Outcome.CORRECT, 1.0)
        assert (wrong.outcome, wrong.score, wrong.details["calls"]) == (Outcome.INCORRECT, 0.0, 0)
        assert right.details["calls"] == len(task.actions or ())


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "{}",
        "text",
        transcript_text([], ended="user_stop"),
        transcript_text([{"role": "assistant", "tool_calls": "x", "content": []}], ended=["user_stop"]),
        transcript_text([{"role": "user", "tool_calls": [1, {"id": []}, {"id": {}}]}, {"tool_call_id": 7}]),
        transcript_text(
            [
                {"role": "user", "tool_calls": [{"id": "a", "function": {"name": [], "arguments": {}}}]},
                {"role": "tool", "tool_call_id": "a", "content": None},
            ],
            ended="user_stop",
        ),
    ],
)
def test_answers_of_other_forms_score_0(answer: str) -> None:
    assert graded(AIRPLANE, WORLD, answer).score == 0.0


def result(item: str, sample: int, score: float) -> Result:
    outcome = Outcome.CORRECT if score == 1 else Outcome.INCORRECT
    return Result(
        item_id=ItemId(item),
        sample=sample,
        outcome=outcome,
        score=score,
        category=None,
        cluster=None,
        details={},
    )


def test_pass_hat_k_goes_up_to_the_samples_that_every_task_has() -> None:
    scores = {"a": (1.0, 1.0, 1.0), "b": (1.0, 0.0), "c": (0.0, 0.0, 0.0)}
    results = [result(item, n, score) for item, found in scores.items() for n, score in enumerate(found)]
    found = pass_hat_ks(results)
    assert {name: round(one.value, 6) for name, one in found.items()} == {
        "pass^1": 0.5,
        "pass^2": round(1 / 3, 6),
    }
    assert pass_hat_ks([]) == {}
