"""Texts that repeat a passage are judged by a few repeats of it, as if all had been read."""

from hypothesis import given
from hypothesis import strategies as st

from assay.engine.graders.english.repetition import condensed
from assay.engine.graders.english.words import closing_words, leading_words, words

PIECES = ["A b.", "He ", "it's", "Mr. ", "e.g. ", "?", "!", ".", '"', "'", ",", "a", " ", "\n", "(", ")", "é"]
passages = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
repeated = st.tuples(passages, passages.filter(bool), st.integers(1, 260), passages).map(
    lambda parts: parts[0] + parts[1] * parts[2] + parts[3]
)


@given(repeated)
def test_a_condensed_text_has_the_same_words_at_its_ends(text: str) -> None:
    found = [word for word in words(text) if len(word) < 90]
    short = condensed(text)
    assert leading_words(short, 2) == words(short)[:2]
    assert closing_words(short, 2) == words(short)[-2:]
    fewer = [word for word in words(short) if len(word) < 90]
    assert (fewer[:3], fewer[-3:], set(fewer)) == (found[:3], found[-3:], set(found))


def test_a_text_that_repeats_itself_is_condensed() -> None:
    assert len(condensed("Well. " + "Fog falls. " * 100_000 + "Sun!")) < 2_000
    assert condensed("Fog falls, and the sun is gone.") == "Fog falls, and the sun is gone."
