import json

import pytest

from assay.domain.calls.messages import Audio, Completion, Image, Message, ToolCall
from assay.domain.calls.transcript import assistant_message, transcript_in, transcript_text

CALL = ToolCall("call_1", "search", '{"query": "tide"}')


def test_a_transcript_is_read_back() -> None:
    messages = [Message("user", "When is high tide?"), Message("assistant", "", (CALL,))]
    messages.append(Message("tool", "14:20", tool_call_id="call_1"))
    text = transcript_text([message.to_json() for message in messages], steps=2)
    found = transcript_in(text)
    assert found is not None
    assert found.facts == {"steps": 2}
    assert [message["role"] for message in found.messages] == ["user", "assistant", "tool"]
    assert found.messages[2]["tool_call_id"] == "call_1"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "It is 14:20.",
        "{}",
        "{",
        '{"format": "assay-transcript/1"}',
        '{"format": "assay-transcript/1", "messages": [1]}',
        '{"format": "assay-transcript/2", "messages": []}',
        '{"format": "assay-transcript/1", "messages": ' + "[" * 100_000,
        '{"format": "assay-transcript/1", "messages": [' + "{}," * 600_000 + "{}]}",
    ],
)
def test_other_answers_are_no_transcripts(answer: str) -> None:
    assert transcript_in(answer) is None


def test_messages_have_the_form_of_the_api() -> None:
    message = assistant_message(Completion("Let me look.", reasoning="hm", tool_calls=(CALL,)))
    assert json.loads(message.to_json_text()) == {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "search", "arguments": '{"query": "tide"}'},
            }
        ],
    }
    parts = Message("user", ("Listen.", Audio("UklGRg==", "wav"), Image("data:image/png;base64,AA==")))
    assert parts.to_json()["content"] == [
        {"type": "text", "text": "Listen."},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
    ]
    assert parts.text == "Listen."
