import io
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine.exports.json_stream import JsonStream, MalformedError, ValueLimits

documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def stream_of(text: str, *, piece: int = 1 << 20, max_value: int = 1 << 20) -> JsonStream:
    source = io.BytesIO(text.encode("utf-8", "surrogatepass"))
    return JsonStream(lambda _size: source.read(piece), ValueLimits(characters=max_value))


@settings(deadline=None)
@given(st.dictionaries(st.text(), documents, max_size=5), st.integers(1, 7))
def test_members_are_read_as_the_standard_library_reads_them(document: dict[str, Any], piece: int) -> None:
    stream = stream_of(json.dumps(document), piece=piece)
    assert {key: stream.value() for key in stream.members()} == document
    stream.end()


@settings(deadline=None)
@given(st.lists(documents, max_size=6), st.integers(1, 7))
def test_elements_come_with_the_very_text_they_were_read_from(members: list[Any], piece: int) -> None:
    text = json.dumps(members, separators=(",", ":"))
    stream = stream_of(text, piece=piece)
    raw = [stream.raw_value() for _ in stream.elements()]
    assert [value for _, value in raw] == members
    assert f"[{','.join(one for one, _ in raw)}]" == text


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"a"', '{"a":', '{"a":1', '{"a":1,}', "{1:2}", '{"a" 1}', "[1]", '{"a":[1,}', '{"a":nul}'],
)
def test_what_is_not_an_object_is_refused(text: str) -> None:
    stream = stream_of(text)
    with pytest.raises(MalformedError):
        _ = {key: stream.value() for key in stream.members()}


def test_nothing_may_follow_the_document() -> None:
    stream = stream_of("{} x")
    assert list(stream.members()) == []
    with pytest.raises(MalformedError):
        stream.end()


def test_nesting_without_end_is_refused_and_not_followed() -> None:
    with pytest.raises(MalformedError):
        stream_of("[" * 200_000).value()


def test_a_value_without_end_is_refused_before_it_fills_the_memory() -> None:
    stream = JsonStream(lambda size: b'"' + b"x" * size, ValueLimits(characters=1 << 16))
    with pytest.raises(MalformedError, match="longer"):
        stream.value()


def test_a_value_of_very_many_parts_is_refused_before_it_fills_the_memory() -> None:
    text = "[" + "[]," * 3_000_000 + "[]]"
    source = io.BytesIO(text.encode())
    with pytest.raises(MalformedError, match="more than 1,000,000 parts"):
        JsonStream(source.read, ValueLimits(parts=1_000_000)).value()


def test_text_that_is_not_utf_8_is_refused() -> None:
    with pytest.raises(MalformedError):
        JsonStream(io.BytesIO(b'"\xff"').read).value()
