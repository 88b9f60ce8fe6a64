# ruff: noqa: RUF001 - the curly quotes are meant
"""Sentences of our own; the expected splits are those NLTK 3.10.4 makes with the same parameters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.graders.english.sentences import sentences

GOLDEN: list[tuple[str, list[str]]] = [
    ("", []),
    ("  ", []),
    ("Fog", ["Fog"]),
    ("Fog lifts. Gulls cry! Who rows? We do.", ["Fog lifts.", "Gulls cry!", "Who rows?", "We do."]),
    ("  Fog lifts.  Gulls cry.  ", ["  Fog lifts.", "Gulls cry."]),
    ("Mr. Vale met Dr. Orr in Oct. at the quay.", ["Mr. Vale met Dr. Orr in Oct. at the quay."]),
    (
        "She moved to the U.S. in May. He stayed in the U.S. However, he wrote.",
        ["She moved to the U.S. in May.", "He stayed in the U.S.", "However, he wrote."],
    ),
    ("They sell rope, tar, etc. Lamps cost extra.", ["They sell rope, tar, etc.", "Lamps cost extra."]),
    ("We land at 5 p.m. The crew sleeps.", ["We land at 5 p.m.", "The crew sleeps."]),
    ("We land at 5 p.m. tomorrow.", ["We land at 5 p.m. tomorrow."]),
    ("J. B. Reed drew it. A. tends to win.", ["J.", "B. Reed drew it.", "A. tends to win."]),
    ("It was plan B. The sea rose.", ["It was plan B.", "The sea rose."]),
    ("Vitamin C. helps sailors.", ["Vitamin C. helps sailors."]),
    ("Chapter 3. The storm broke.", ["Chapter 3.", "The storm broke."]),
    ("He was no. 3. who knew?", ["He was no.", "3. who knew?"]),
    ("It cost 3.50. Nobody paid.", ["It cost 3.50.", "Nobody paid."]),
    ("Item 4. Business as usual.", ["Item 4. Business as usual."]),
    ("Wait... What was that?", ["Wait... What was that?"]),
    ("Wait... what was that?", ["Wait... what was that?"]),
    ("Well . . . we left. . . . Then fog.", ["Well .", ".", ".", "we left.", ".", ".", ".", "Then fog."]),
    ("Hm.. odd.", ["Hm.. odd."]),
    ("No!!! Stop?! Yes.", ["No!!!", "Stop?!", "Yes."]),
    ('He said "Row." Then we rowed.', ['He said "Row."', "Then we rowed."]),
    ("He said “Row.” Then we rowed.", ["He said “Row.”", "Then we rowed."]),
    ("He said ‘Row.’ Then we rowed.", ["He said ‘Row.’", "Then we rowed."]),
    ("(We rowed.) Then slept.", ["(We rowed.)", "Then slept."]),
    ("We rowed.) (Then slept.", ["We rowed.)", "(Then slept."]),
    ("Row!) --and rest.", ["Row!)", "--and rest."]),
    ('She asked "Why?" and left.', ['She asked "Why?"', "and left."]),
    ("Ends.No space.Here.", ["Ends.No space.Here."]),
    ("One.\nTwo.\n\nThree", ["One.", "Two.", "Three"]),
    ("- rope.\n- tar.\n\n1. Fog.\n2. Sun.", ["- rope.", "- tar.", "1.", "Fog.", "2.", "Sun."]),
    ("Title\n\nBody text. More.", ["Title\n\nBody text.", "More."]),
    ("a. b. c.", ["a. b. c."]),
    ("The ex-Sen. spoke. The pro-co. left.", ["The ex-Sen. spoke.", "The pro-co. left."]),
    ("Visit example.org. It is free.", ["Visit example.org.", "It is free."]),
    ("Er kam. Das Boot ging.", ["Er kam.", "Das Boot ging."]),
    ("他来了。他走了。", ["他来了。他走了。"]),
    ("नमस्ते। आप कैसे हैं? ठीक।", ["नमस्ते। आप कैसे हैं?", "ठीक।"]),
    ("Fog.\xa0Sun.\u3000Rain.", ["Fog.\xa0Sun.", "Rain."]),
    ("½. Then go. É. Then go. _. Then go.", ["½.", "Then go.", "É.", "Then go.", "_.", "Then go."]),
    ("Fog.\x1cSun. Rain", ["Fog.\x1cSun.", "Rain"]),
    (". . .", [".", ".", "."]),
    ("...", ["..."]),
    ("!", ["!"]),
    ("? ! .", ["?", "!", "."]),
    ("e.g. fog, i.e. cloud.", ["e.g.", "fog, i.e.", "cloud."]),
    ("St. Ives vs. Bath. Inc. Ltd. Co. won.", ["St. Ives vs. Bath.", "Inc. Ltd. Co. won."]),
    ("It's 10 a.m. It rains.", ["It's 10 a.m.", "It rains."]),
    (
        "Fog (see p. 5.) came. So did rain.[1] Then sun.",
        ["Fog (see p.", "5.)", "came.", "So did rain.", "[1] Then sun."],
    ),
    ("**Bold.** Then *soft.* End.", ["**Bold.", "** Then *soft.", "* End."]),
]


@pytest.mark.parametrize(("text", "expected"), GOLDEN)
def test_golden_splits(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected


PROSE = st.lists(
    st.sampled_from(
        ["Fog", "fog", "Mr.", "p.m.", "J.", "3.", "...", "?", "!", ")", '"', "”", "\n", "\n\n", "--"]
    )
).map(" ".join)


@given(st.text() | PROSE)
def test_nothing_but_white_space_is_lost(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
