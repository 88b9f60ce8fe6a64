"""Who speaks, who sees what, and when a conversation ends."""

import json

import pytest

from assay.benchmarks.tau2_telecom.arguments import MOST_CHARACTERS
from assay.benchmarks.tau2_telecom.dialogue import MOST_CALLS_AT_ONCE, MOST_ERRORS, MOST_STEPS, Dialogue
from assay.benchmarks.tau2_telecom.grading import graded
from assay.benchmarks.tau2_telecom.prompts import GREETING
from assay.benchmarks.tau2_telecom.task import ReleaseTables, benchmark
from assay.benchmarks.tau2_telecom.tasks import parse_task
from assay.domain.calls.messages import ToolCall

TABLES = benchmark.demo_tables()
assert isinstance(TABLES, ReleaseTables)
WORLD = TABLES.release.world
TASK = parse_task(TABLES.release.rows[0])
READ = ToolCall("same", "check_status_bar", "")
FIND = ToolCall("same", "get_customer_by_phone", '{"phone_number": "555-010-4401"}')


def begun() -> Dialogue:
    dialogue = Dialogue(TASK, WORLD)
    dialogue.take("My phone does not work.", ())
    return dialogue


def seen(dialogue: Dialogue) -> list[tuple[str, str]]:
    """What the next speaker has seen after the system message."""
    return [(message.role, message.text) for message in dialogue.context[1:]]


def test_each_side_sees_texts_and_its_own_calls() -> None:
    dialogue = begun()
    dialogue.take("", (FIND,))
    assert dialogue.speaker == "assistant"
    found = dialogue.context[-1].text
    dialogue.take("What does the status bar show?", ())
    assert seen(dialogue) == [
        ("user", GREETING),
        ("assistant", "My phone does not work."),
        ("user", "What does the status bar show?"),
    ]
    dialogue.take("", (READ,))
    assert seen(dialogue)[-1] == ("tool", "Status Bar: ✈️ Airplane Mode | 🔋 64%")
    dialogue.take("Airplane mode.", ())
    assert seen(dialogue) == [
        ("assistant", GREETING),
        ("user", "My phone does not work."),
        ("assistant", ""),
        ("tool", found),
        ("assistant", "What does the status bar show?"),
        ("user", "Airplane mode."),
    ]
    assert json.loads(found)["customer_id"] == "C2001"


def test_each_side_is_offered_its_own_tools() -> None:
    dialogue = Dialogue(TASK, WORLD)
    offered: list[int] = []
    for text in ("Hello", "Hello"):
        tools = dialogue.prompt.extra["tools"]
        assert isinstance(tools, list)
        offered.append(len(tools))
        dialogue.take(text, ())
    assert offered == [30, 13]


def test_a_message_with_calls_is_not_told_to_the_other_side() -> None:
    dialogue = begun()
    dialogue.take("Let me look. ###STOP###", (FIND,))
    dialogue.take("Found you.", ())
    assert ("user", "Let me look. ###STOP###") not in seen(dialogue)
    dialogue.take("###STOP###", (READ,))
    assert dialogue.ended is None


@pytest.mark.parametrize("word", ["###STOP###", "###TRANSFER###", "###OUT-OF-SCOPE###"])
def test_the_user_ends_a_conversation_with_a_word(word: str) -> None:
    dialogue = begun()
    dialogue.take(f"I say {word}", ())
    assert dialogue.ended is None
    dialogue.take(f"Thanks. {word}", ())
    assert dialogue.ended == "user_stop"


@pytest.mark.parametrize("text", ["", " \n"])
def test_who_says_nothing_ends_the_conversation(text: str) -> None:
    dialogue = begun()
    dialogue.take(text, ())
    assert dialogue.ended == "agent_error"
    other = Dialogue(TASK, WORLD)
    other.take(text, ())
    assert other.ended == "user_error"


def test_steps_are_counted_by_messages_and_answers_of_tools() -> None:
    dialogue = begun()
    while dialogue.ended is None:
        dialogue.take("", (FIND, FIND))
    # The first message is one step; the limit is looked at after the answers of tools.
    assert (dialogue.ended, dialogue.steps) == ("max_steps", MOST_STEPS + 1)


def test_the_limit_hides_that_the_user_has_finished() -> None:
    dialogue = begun()
    while dialogue.steps < MOST_STEPS - 1:
        dialogue.take("And?", ())
    assert dialogue.ended is None
    dialogue.take("###STOP###", ())
    assert dialogue.ended == "max_steps"


def test_failed_calls_of_both_sides_count() -> None:
    dialogue = begun()
    bad = ToolCall("", "no_such_tool", "{}")
    for _ in range(MOST_ERRORS - 2):
        dialogue.take("", (bad,))
    dialogue.take("Please look.", ())
    assert dialogue.ended is None
    dialogue.take("", (bad, READ, bad))
    assert (dialogue.ended, dialogue.errors) == ("too_many_errors", MOST_ERRORS)
    assert graded(TASK, WORLD, dialogue.transcript()).details["ended"] == "too_many_errors"


HOSTILE = {
    "nothing of JSON": "{",
    "a list": "[1]",
    "null": "null",
    "not a number": '{"phone_number": NaN}',
    "half a pair": '{"phone_number": "\\ud800"}',
    "half a pair itself": "\ud800",
    "deep": '{"phone_number": ' + "[" * 100 + "]" * 100 + "}",
    "very deep": "[" * 10_000,
    "long number": '{"phone_number": ' + "9" * 10_000 + "}",
    "megabytes": '{"phone_number": "' + "a" * 5_000_000 + '"}',
    "unknown name": '{"number": 1}',
    "self": '{"self": 1, "phone_number": 1}',
    "requestor": '{"requestor": "user", "phone_number": 1}',
}


@pytest.mark.parametrize("arguments", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_arguments_are_answered_with_an_error(arguments: str) -> None:
    dialogue = begun()
    dialogue.take("", (ToolCall("x", "get_customer_by_phone", arguments),))
    assert (dialogue.errors, dialogue.ended, dialogue.speaker) == (1, None, "assistant")
    assert dialogue.context[-1].text.startswith("Error: ")
    # What goes back to the endpoint is JSON, and all of it can be stored.
    (sent,) = dialogue.context[-2].tool_calls
    assert isinstance(json.loads(sent.arguments), dict)
    dialogue.take("Sorry.", ())
    dialogue.take("###STOP###", ())
    transcript = dialogue.transcript()
    assert len(transcript.encode()) < 4 * MOST_CHARACTERS
    assert graded(TASK, WORLD, transcript).score == 0.0


def test_hostile_names_are_answered_with_an_error() -> None:
    dialogue = begun()
    dialogue.take("", tuple(ToolCall("", name, "{}") for name in ("", "a b\n", "x" * 1_000_000, "\ud800")))
    assert dialogue.errors == 4
    assert {call.name for call in dialogue.context[-5].tool_calls} == {"invalid_name"}
    assert len(dialogue.transcript().encode()) < 10_000


def test_of_many_calls_only_some_are_carried_out_each_with_its_own_id() -> None:
    dialogue = begun()
    dialogue.take("", [FIND] * 5_000)
    ids = [message.tool_call_id for message in dialogue.context if message.role == "tool"]
    assert (len(ids), len(set(ids))) == (MOST_CALLS_AT_ONCE, MOST_CALLS_AT_ONCE)
    assert [call.id for call in dialogue.calls] == ids
