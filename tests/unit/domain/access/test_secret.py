import pytest

from assay.domain.access.secret import redacted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wrong key sk-ant-api03-abcdefgh", "wrong key [key]"),
        ("wrong key AIzaSyA0123456789-abcdefghijklmnopqrst.", "wrong key [key]."),
        ("AIza is a word", "AIza is a word"),
        ("a whole-token of mine", "a whole-token of mine"),
    ],
)
def test_what_looks_like_a_key_of_a_vendor_is_hidden(text: str, expected: str) -> None:
    assert redacted(text) == expected


def test_given_secrets_are_hidden_whatever_they_look_like() -> None:
    assert redacted("it was mine here", ["mine"]) == "it was [key] here"
