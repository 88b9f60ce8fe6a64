import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.models.sse import EventSplitter


def events(*blocks: bytes) -> list[bytes]:
    splitter = EventSplitter()
    found = [data for block in blocks for data in splitter.feed(block)]
    return found + splitter.finish()


@pytest.mark.parametrize(
    ("stream", "expected"),
    [
        (b"data: a\n\ndata: b\n\n", [b"a", b"b"]),
        (b"data:a\n\n", [b"a"]),
        (b"data:  a\n\n", [b" a"]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", [b"a", b"b"]),
        (b": ping\n\ndata: a\n\n:\n\n", [b"a"]),
        (b"event: message\nid: 7\nretry: 10\ndata: a\n\n", [b"a"]),
        (b"data: a\ndata: b\n\n", [b"a\nb"]),
        (b"data: a", [b"a"]),
        (b"data: a\n", [b"a"]),
        (b"data:\n\n", [b""]),
        (b"\n\n\n", []),
        (b"", []),
    ],
)
def test_events_of_a_stream(stream: bytes, expected: list[bytes]) -> None:
    assert events(stream) == expected


def test_event_is_given_as_soon_as_it_is_complete() -> None:
    splitter = EventSplitter()
    assert splitter.feed(b"data: a\n") == []
    assert splitter.feed(b"\n") == [b"a"]
    assert splitter.feed(b"data: b\n\ndata: c") == [b"b"]
    assert splitter.finish() == [b"c"]


STREAM = (
    b": ping\r\n\r\ndata: \xc3\xa9\xf0\x9f\x98\x80\n\ndata:x\r\ndata: y\r\n\r\n\nid: 1\ndata: z\n\ndata: end"
)


@given(st.lists(st.integers(0, len(STREAM)), max_size=12).map(sorted))
def test_any_cut_of_the_bytes_gives_the_same_events(cuts: list[int]) -> None:
    edges = [0, *cuts, len(STREAM)]
    blocks = [STREAM[start:end] for start, end in pairwise(edges)]
    assert events(*blocks) == events(STREAM) == ["é😀".encode(), b"x\ny", b"z", b"end"]


def test_an_event_of_very_many_lines_is_assembled_once() -> None:
    """In quadratic time this would take minutes."""
    lines = b"data:a\n" * 1_500_000
    blocks = [lines[start : start + 65_536] for start in range(0, len(lines), 65_536)]
    began = time.process_time()
    assert events(*blocks, b"\n") == [b"a\n" * 1_499_999 + b"a"]
    assert time.process_time() - began < 30
