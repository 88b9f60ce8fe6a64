"""Messages arrive whole, whatever pieces they come in."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.adapters.sandbox.local.frames import Frame, FrameReader

frames = st.builds(Frame, st.text(max_size=20), st.text(max_size=50), st.binary(max_size=200))


@settings(deadline=None)
@given(st.lists(frames, max_size=5), st.integers(1, 64))
def test_pieces_of_any_size(sent: list[Frame], size: int) -> None:
    wire = b"".join(one.encoded() for one in sent)
    reader = FrameReader()
    received = [one for at in range(0, len(wire), size) for one in reader.feed(wire[at : at + size])]
    assert received == sent


def test_a_message_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="too long"):
        FrameReader().feed(b"\x01" + b"\xff" * 8)
