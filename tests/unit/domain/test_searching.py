"""What a search reads of a stored text."""

import json

import pytest

from assay.domain.searching import lowered, readable


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("plain [{", "plain [{"),
        ('[{"role": "user", "content": "a\\n\\"b\\""}, {"role": "assistant", "content": "c"}]', 'a\n"b"\nc'),
        ('[{"role": "user", "content": [{"type": "text", "text": "seen"}, {"data": "UklGRg"}]}]', "seen"),
        ('[{"role": "tool", "content": "3", "tool_call_id": "call_1"}]', "3"),
        (
            '[{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "1"}}]}]',
            "f\n1",
        ),
        # Not conversations, and not JSON at all.
        ('[{"name": "user"}]', '[{"name": "user"}]'),
        ('[{"role": "user"}, 1]', '[{"role": "user"}, 1]'),
        ('[{"role": "user"', '[{"role": "user"'),
    ],
)
def test_conversations_are_read_without_their_json(stored: str, shown: str) -> None:
    assert readable(stored) == shown


@pytest.mark.parametrize("nested", ["[{" * 200_000, '[{"role": ' * 5_000])
def test_nesting_without_end_is_text(nested: str) -> None:
    assert readable(nested) == nested


def test_nesting_that_json_can_hold_does_not_raise() -> None:
    deep = json.loads("[" * 900 + "]" * 900)
    text = json.dumps([{"role": "user", "content": deep}])
    assert readable(text) in ("", text)


def test_lower_case_keeps_the_places() -> None:
    for text in ("ABC xyz", "İ ÀB", "\ud800X", ""):
        assert len(lowered(text)) == len(text)
    assert lowered("ÀB") == "Àb"
