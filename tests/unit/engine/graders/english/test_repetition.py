"""Texts that repeat a passage are judged by a few repeats of it, as if all had been read."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assay.engine.graders.english.repeated_sentences import neighbouring_sentences, nth_sentence
from assay.engine.graders.english.repetition import condensed, condensed_by, with_condensed_word
from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.english.words import closing_words, leading_words, words

PIECES = ["A b.", "He ", "it's", "Mr. ", "e.g. ", "?", "!", ".", '"', "'", ",", "a", " ", "\n", "(", ")", "é"]
passages = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
repeated = st.tuples(passages, passages.filter(bool), st.integers(1, 260), passages).map(
    lambda parts: parts[0] + parts[1] * parts[2] + parts[3]
)


@given(repeated)
def test_every_sentence_is_found_by_its_number(text: str) -> None:
    found = sentences(text)
    assert [nth_sentence(text, nth) for nth in range(1, len(found) + 2, 7)] == [*found, None][::7]
    assert nth_sentence(text, len(found)) == found[-1] if found else nth_sentence(text, 1) is None


@given(repeated)
def test_neighbours_stay_neighbours(text: str) -> None:
    found, fewer = sentences(text), list(neighbouring_sentences(text))
    assert set(pairwise(found)) == set(pairwise(fewer))


@given(repeated)
def test_a_condensed_text_has_the_same_words_at_its_ends(text: str) -> None:
    found = [word for word in words(text) if len(word) < 90]
    short = condensed(text)
    assert leading_words(short, 2) == words(short)[:2]
    assert closing_words(short, 2) == words(short)[-2:]
    fewer = [word for word in words(short) if len(word) < 90]
    assert (fewer[:3], fewer[-3:], set(fewer)) == (found[:3], found[-3:], set(found))


@given(repeated)
def test_a_condensed_word_leaves_as_many_sentences(text: str) -> None:
    assert len(sentences(with_condensed_word(text))) == len(sentences(text))


@given(repeated)
def test_what_is_left_out_is_told(text: str) -> None:
    short = condensed_by(text)
    assert len(short.text) + (len(short.longer) - len(short.text)) * short.left_out == len(text)
