"""The last match, wherever in the text it is."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.graders.last_match import last_match

LETTER = re.compile(r"[A-J](?!\w)(?<!\w[A-J])")


@given(st.text("AB c\n", max_size=40))
def test_it_is_the_last_of_all_matches(text: str) -> None:
    expected = [found.span() for found in LETTER.finditer(text)]
    found = last_match(LETTER, text)
    assert (found.span() if found else None) == (expected[-1] if expected else None)


@pytest.mark.parametrize("length", [0, 3_999, 4_000, 4_001, 64_000, 64_001, 200_000])
def test_it_is_found_at_any_distance_from_the_end(length: int) -> None:
    found = last_match(LETTER, "A " + "B" + "." * length)
    assert found
    assert found.start() == 2


def test_what_stands_before_a_window_is_seen() -> None:
    # The A right at the start of the last window belongs to the word that begins before it.
    assert last_match(LETTER, "." * 10 + "x" + "A" + "." * 3_999) is None
