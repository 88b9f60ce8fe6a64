import math

import pytest

from assay.adapters.models.json_text import loads, parsed, repaired_text


def test_nan_and_half_surrogates_are_read() -> None:
    value = loads(b'{"logprob": NaN}')
    assert isinstance(value, dict)
    assert isinstance(value["logprob"], float)
    assert math.isnan(value["logprob"])
    assert loads(b'"\\ud83d"') == "\ud83d"


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"data: {}"])
def test_what_is_not_json(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        loads(data)
    assert parsed(data) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("plain", "plain"), ("é", "é"), ("\ud83d\ude00", "😀"), ("a\ud83d", "a\ufffd"), ("\ude00é", "\ufffdé")],
)
def test_halves_are_joined_or_replaced(text: str, expected: str) -> None:
    assert repaired_text(text) == expected
