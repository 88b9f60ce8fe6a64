"""Conversations with the simulated tools, from the prompt to the grade."""

import json
import re
from collections.abc import Sequence

import pytest

from assay.benchmarks.janus.task_file import TaskTables
from assay.benchmarks.janus.tool_use.task import benchmark
from assay.benchmarks.janus.tools.conversation import MOST_CALLS_AT_ONCE, MOST_TURNS
from assay.domain.benchmark import Cue, Grade, Item, Result, Services
from assay.domain.calls.messages import Completion, Prompt, ToolCall
from assay.domain.calls.transcript import transcript_in, transcript_text
from assay.domain.errors import InvalidValueError, UnknownNameError
from assay.domain.outcome import Outcome

ITEM_SET = benchmark.load(benchmark.demo_tables())
ITEMS = {item.id.removeprefix("janus_tool_use_"): item for item in ITEM_SET.items}
NO_SERVICES = Services()
NO_CUE = Cue()


async def answered(item: Item, replies: Sequence[Completion], services: Services = NO_SERVICES) -> Completion:
    left = list(replies)

    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        del prompt, cue
        return left.pop(0) if left else Completion("")

    assert ITEM_SET.converse is not None
    return await ITEM_SET.converse(item, ask, services)


async def graded(name: str, *replies: Completion) -> Grade:
    item = ITEMS[name]
    return await benchmark.grade(item, await answered(item, replies), NO_SERVICES)


def calls(*named: tuple[str, object]) -> Completion:
    made = [ToolCall("same", name, one if isinstance(one, str) else json.dumps(one)) for name, one in named]
    return Completion("", tool_calls=tuple(made))


def faults(grade: Grade) -> object:
    report = grade.details["calls"]
    assert isinstance(report, dict)
    return report["faults"]


_ID = re.compile(r"[a-z]{3}_[0-9a-f]{8}")
OSLO = ("get_weather", {"city": "Oslo, NO", "date": "2026-03-06"})
SAYS_7 = Completion("Answer: 7")


async def test_the_right_answer_without_the_call_it_takes_scores_0() -> None:
    grade = await graded("function_calling_01", SAYS_7)
    assert (grade.outcome, grade.score) == (Outcome.INCORRECT, 0.0)
    assert "0 of 1 needed calls" in grade.explanation


async def test_the_call_without_the_answer_scores_0() -> None:
    assert (await graded("function_calling_01", calls(OSLO), Completion("Answer: 8"))).score == 0.0
    assert (await graded("function_calling_01", calls(OSLO), Completion("Done."))).outcome is Outcome.UNPARSED


@pytest.mark.parametrize(
    ("replies", "score", "found"),
    [
        ([calls(OSLO)], 1.0, {}),
        ([calls(OSLO), calls(OSLO)], 0.9, {"repeated": 1}),
        ([calls(OSLO, ("get_weather", {"city": "Cork, IE", "date": "2026-03-06"}))], 0.9, {"unneeded": 1}),
        ([calls(("get_weather", {"town": "Oslo"})), calls(OSLO)], 0.9, {"invalid": 1}),
        ([calls(("no_such_tool", {})), calls(OSLO)], 0.9, {"invalid": 1}),
        (
            [calls(("get_weather", {"city": "Atlantis", "date": "2026-03-06"})), calls(OSLO)],
            0.9,
            {"refused": 1},
        ),
        ([calls(("get_weather", {"city": " oslo, no.", "date": "2026-03-06"}), OSLO)], 0.9, {"refused": 1}),
        ([calls(*[OSLO] * 12)], 0.0, {"repeated": 11}),
    ],
    ids=["needed", "repeated", "unneeded", "schema", "unknown", "refused", "written-wrongly", "flood"],
)
async def test_calls_that_are_not_needed_cost_what_the_documentation_says(
    replies: list[Completion], score: float, found: dict[str, int]
) -> None:
    grade = await graded("function_calling_01", *replies, SAYS_7)
    assert (grade.score, faults(grade)) == (score, found)


async def test_a_call_where_none_is_needed_costs_half() -> None:
    read = ("read_file", {"path": "notes/ideas.txt"})
    assert (await graded("function_calling_23", Completion("Answer: D"))).score == 1.0
    grade = await graded("function_calling_23", calls(read), Completion("Answer: D"))
    assert (grade.score, grade.outcome, faults(grade)) == (0.5, Outcome.PARTIAL, {"needless": 1})


async def test_changing_something_that_was_not_asked_for_costs_half() -> None:
    task = ITEMS["function_calling_08"].fields
    event = {"title": "Filter change", "date": "2026-03-06", "start_time": "13:10", "duration_minutes": 40}
    grade = await graded(
        "function_calling_08",
        calls(("create_event", event), ("create_event", {**event, "start_time": "16:00"})),
        Completion(f"Answer: {task['expected_answer']}"),
    )
    assert (grade.score, faults(grade)) == (0.5, {"harmful": 1})


async def test_an_error_that_the_task_leads_into_is_free_once() -> None:
    item = ITEMS["function_calling_18"]
    product = str(item.fields["prompt"]).partition("product ")[2].split()[0]
    closed, moved = (("get_stock", {"product_id": product, "warehouse": code}) for code in ("HAM-1", "HAM-2"))
    right = Completion(f"Answer: {item.expected}")
    assert (await graded("function_calling_18", calls(closed), calls(moved), right)).score == 1.0
    assert (
        await graded("function_calling_18", calls(closed), calls(closed), calls(moved), right)
    ).score == 0.9
    completion = await answered(item, [calls(closed), calls(moved), right])
    assert "ask for 'HAM-2'" in completion.answer


@pytest.mark.parametrize(
    "arguments",
    [
        "",
        "{",
        "null",
        "[1]",
        '"text"',
        "NaN",
        '{"city": NaN}',
        '{"city": 1e999}',
        '{"city": 7, "date": "2026-03-06"}',
        '{"city": "\\ud800", "date": "2026-03-06"}',
        '{"city": "Oslo, NO", "date": "2026-03-06", "more": true}',
        '{"city": "Oslo, NO", "date": "tomorrow"}',
        "[" * 100_000,
        '{"a":' * 50_000,
        "9" * 10_000,
        " " * 1_000_000,
    ],
    ids=lambda text: text[:24] or "empty",
)
async def test_hostile_arguments_become_errors_of_the_tool(arguments: str) -> None:
    completion = await answered(ITEMS["function_calling_01"], [calls(("get_weather", arguments)), SAYS_7])
    transcript = transcript_in(completion.answer)
    assert transcript is not None
    (result,) = [message for message in transcript.messages if message["role"] == "tool"]
    assert result["fault"] == "invalid_arguments"
    assert "error" in json.loads(str(result["content"]))
    assert len(completion.answer) < 40_000
    grade = await benchmark.grade(ITEMS["function_calling_01"], completion, NO_SERVICES)
    assert faults(grade) == {"invalid": 1}


async def test_what_goes_back_to_the_endpoint_is_valid_and_has_ids_of_its_own() -> None:
    sent: list[Prompt] = []
    replies = [calls(("get weather\n", "{"), OSLO, OSLO), SAYS_7]

    async def ask(prompt: Prompt, *, cue: Cue = NO_CUE) -> Completion:
        del cue
        sent.append(prompt)
        return replies[len(sent) - 1]

    assert ITEM_SET.converse is not None
    await ITEM_SET.converse(ITEMS["function_calling_01"], ask, NO_SERVICES)
    history = sent[1].messages[1]
    assert [(one.id, one.name) for one in history.tool_calls] == [
        ("call_1_1", "invalid_name"),
        ("call_1_2", "get_weather"),
        ("call_1_3", "get_weather"),
    ]
    assert history.tool_calls[0].arguments == "{}"
    assert [message.tool_call_id for message in sent[1].messages[2:]] == ["call_1_1", "call_1_2", "call_1_3"]
    assert sent[0].extra == sent[1].extra
    assert sent[0].extra["tool_choice"] == "auto"


async def test_a_conversation_ends_at_the_limit_of_turns_without_an_answer() -> None:
    completion = await answered(ITEMS["function_calling_01"], [calls(OSLO)] * (MOST_TURNS + 5))
    transcript = transcript_in(completion.answer)
    assert transcript is not None
    assert transcript.facts == {"stopped": "after 8 turns"}
    assert sum(message["role"] == "assistant" for message in transcript.messages) == MOST_TURNS
    grade = await benchmark.grade(ITEMS["function_calling_01"], completion, NO_SERVICES)
    assert (grade.outcome, grade.score) == (Outcome.UNPARSED, 0.0)


async def test_only_so_many_calls_of_one_message_are_carried_out() -> None:
    completion = await answered(ITEMS["function_calling_01"], [calls(*[OSLO] * 5_000), SAYS_7])
    transcript = transcript_in(completion.answer)
    assert transcript is not None
    results = [message for message in transcript.messages if message["role"] == "tool"]
    assert sum("fault" not in one for one in results) == MOST_CALLS_AT_ONCE
    assert len(results) == 2 * MOST_CALLS_AT_ONCE


async def test_a_refusal_of_the_provider_and_a_cut_are_kept_as_such() -> None:
    item = ITEMS["function_calling_01"]
    assert (await answered(item, [Completion("", refusal="no")])).is_refused
    assert (await answered(item, [calls(OSLO), Completion("Answ", finish_reason="length")])).is_cut


@pytest.mark.parametrize(
    "answer",
    [
        "Answer: 7",
        "{}",
        '{"format": "assay-transcript/1", "messages": []}',
        '{"format": "assay-transcript/1", "messages": [{"role": "assistant", "content": "Answer: 7"}]}',
        transcript_text([{"role": "assistant", "tool_calls": "x", "content": []}]),
        transcript_text([{"role": "assistant", "tool_calls": [1, {}]}, {"role": "tool"}]),
    ],
)
async def test_answers_that_are_no_whole_transcript_score_0(answer: str) -> None:
    assert (await benchmark.grade(ITEMS["function_calling_01"], Completion(answer), NO_SERVICES)).score == 0.0


async def test_metrics_tell_names_schemas_and_arguments_apart() -> None:
    wrong_city = ("get_weather", {"city": "Cork, IE", "date": "2026-03-06"})
    grades = [
        await graded("function_calling_01", calls(OSLO), SAYS_7),
        await graded("function_calling_01", calls(wrong_city), SAYS_7),
        await graded("function_calling_01", calls(("get_weather", "{")), SAYS_7),
        await graded("function_calling_01", SAYS_7),
        await graded("function_calling_23", Completion("Answer: D")),
        await graded("function_calling_24", calls(OSLO), Completion("Answer: 29")),
    ]
    results = [
        Result(item_id=ITEM_SET.items[0].id, sample=0, outcome=one.outcome, score=one.score, category=None,
               cluster=None, details=one.details)
        for one in grades
    ]  # fmt: skip
    metrics = {name: estimate.value for name, estimate in benchmark.metrics(results).items()}
    assert metrics == pytest.approx(
        {
            "tool_call_accuracy": 1 / 4,
            "tool_names": 3 / 4,
            "tool_schemas": 2 / 4,
            "tool_arguments": 1 / 4,
            "no_call_where_none_is_needed": 1 / 2,
        }
    )


def test_tasks_that_cannot_be_solved_with_their_tools_are_refused() -> None:
    task = ITEMS["function_calling_01"].fields
    call = {"function": "get_weather", "arguments": {"town": "Oslo"}}
    for change, error in (
        ({"available_tools": ["get_wether"]}, UnknownNameError),
        ({"available_tools": ["calculate"]}, InvalidValueError),
        ({"evaluation": {"calls": [[call]]}}, InvalidValueError),
    ):
        with pytest.raises(error):
            benchmark.load(TaskTables(({**task, **change},)))


def test_a_chain_needs_ids_that_are_in_no_prompt() -> None:
    chains = {name: item for name, item in ITEMS.items() if name.startswith("tool_chaining")}
    ids = {name: set(_ID.findall(json.dumps(item.fields["evaluation"]))) for name, item in chains.items()}
    assert sum(map(bool, ids.values())) >= 18
    for name, item in chains.items():
        assert not ids[name] & set(_ID.findall(ITEM_SET.prompt(item).text)), name
