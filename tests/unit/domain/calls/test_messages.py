"""Prompts keep one byte form."""

import json

from hypothesis import given
from hypothesis import strategies as st

from assay.domain.calls.messages import Image, Message, Prompt


@given(st.text(), st.text())
def test_the_quick_encoder_gives_what_the_general_one_does(system: str, user: str) -> None:
    prompt = Prompt((Message("system", system), Message("user", user)))
    messages = [message.to_json() for message in prompt.messages]
    assert prompt.to_json() == json.dumps(messages, ensure_ascii=False)


def test_parts_are_encoded_as_the_protocol_wants() -> None:
    prompt = Prompt((Message("user", ("look", Image("data:image/png;base64,AA=="))),))
    assert json.loads(prompt.to_json()) == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            ],
        }
    ]
    assert prompt.text == "look"
