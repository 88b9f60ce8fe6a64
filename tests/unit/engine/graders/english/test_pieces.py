"""What is found in pieces of a text, or in a shorter one, is what is found in all of it."""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine.graders.english.repetition import shortened
from assay.engine.graders.english.seams import first_seam, last_seam
from assay.engine.graders.english.sentences import sentences
from assay.engine.graders.english.token_bounds import may_open_lower, most_pronouns, most_upper_words
from assay.engine.graders.english.words import closing_words, leading_words, words

PIECES = st.sampled_from(
    [
        *"aAb1.?!'\",()*-\n",
        " ",
        ". ",
        "a b",
        "Mr. ",
        "U.S. ",
        "cannot",
        "gonNA",
        "don't ",
        "'TIS",
        "it",
        "é",
        "…",
    ]
)
TEXTS = st.lists(PIECES, max_size=25).map("".join)


@settings(deadline=None)
@given(TEXTS)
def test_a_seam_parts_neither_words_nor_the_ends_of_sentences(text: str) -> None:
    for seam in {first_seam(text), last_seam(text)} - {-1}:
        before, after = text[:seam], text[seam:]
        assert words(before) + words(after) == words(text)
        *whole, cut = sentences(before)
        rest, *following = sentences(after)
        assert [*whole, cut + rest, *following] == sentences(text)


@settings(deadline=None)
@given(TEXTS, st.lists(PIECES, min_size=2, max_size=6).map("".join), TEXTS)
def test_each_repeat_that_is_left_out_has_the_same_ends(start: str, unit: str, end: str) -> None:
    text = start + unit * 60 + end
    short = shortened(text)
    counts = ends(short.text)
    for mark in ".?!":
        grown = ends(short.longer)[mark] - counts[mark]
        assert counts[mark] + grown * short.left_out == ends(text)[mark]


def test_a_text_that_repeats_itself_is_shortened() -> None:
    short = shortened("Well. " + "Fog falls. " * 1000 + "Sun!")
    assert short.left_out > 900
    assert len(short.text) < 400


@settings(deadline=None)
@given(TEXTS)
def test_bounds_hold(text: str) -> None:
    found = words(text)
    assert most_upper_words(text) >= sum(map(str.isupper, found))
    assert most_pronouns(text.lower()) >= words(text.lower()).count("it")
    assert may_open_lower(text) or not any(word[0].isalpha() and word[0].islower() for word in found)


@settings(deadline=None, max_examples=50)
@given(TEXTS.map(lambda text: text * 100))
def test_the_first_and_the_last_words_are_those_of_all(text: str) -> None:
    found = words(text)
    assert leading_words(text, 3) == found[:3]
    assert closing_words(text, 3) == found[-3:]


def ends(text: str) -> Counter[str]:
    return Counter(sentence[-1] for sentence in sentences(text))
