"""What is found in arrays of code points is what Python finds in the text, character by character."""

import re
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.graders.english import code_points, distinct
from assay.engine.graders.english.characters import is_word_character
from assay.engine.graders.english.code_points import Codes, Flags, Runs, codes_of, runs_of, text_of
from assay.engine.graders.english.vocabulary import Vocabulary

LISTED = ("a", "and", "ourself", "yourself", "yourselves", "yourselve", "interchangeable", "interchangeables")
TEXTS = st.lists(
    st.sampled_from([*LISTED, *"éΣİK日.-*1\0", "\ud800", " ", "  ", "\n", "\u2028", "\x1c", "AND"]),
    max_size=20,
).map("".join)
ALL_CHARACTERS = "".join(map(chr, range(sys.maxunicode + 1)))


def words_of(text: str) -> Runs:
    return runs_of(~code_points.are_blanks(codes_of(text)))


def texts_of(text: str, runs: Runs) -> list[str]:
    return [text[start:end] for start, end in zip(*(places.tolist() for places in runs), strict=True)]


@pytest.mark.parametrize(
    ("are_such", "is_such"),
    [
        (code_points.are_blanks, str.isspace),
        (code_points.are_digits, re.compile(r"\d").match),
        (code_points.are_digits_of_any_kind, str.isdigit),
        (code_points.are_alphanumeric, re.compile(r"\w").match),
        (code_points.are_word_characters, is_word_character.__wrapped__),
    ],
)
def test_every_character_is_what_it_is_alone(
    are_such: Callable[[Codes], Flags], is_such: Callable[[str], object]
) -> None:
    found = are_such(codes_of(ALL_CHARACTERS))
    assert [bool(is_such(character)) for character in ALL_CHARACTERS] == found.tolist()


@given(TEXTS)
def test_words_are_those_that_a_split_finds(text: str) -> None:
    assert texts_of(text, words_of(text)) == text.split()
    assert code_points.run_count(~code_points.are_blanks(codes_of(text))) == len(text.split())


@given(TEXTS)
def test_small_letters_are_those_of_the_whole_text(text: str) -> None:
    assert text_of(code_points.lower_codes_of(text)) == text.lower()


@given(TEXTS)
def test_what_is_trimmed_is_what_a_strip_leaves(text: str) -> None:
    words = words_of(text)
    trimmed = code_points.trimmed(words, ~code_points.among(codes_of(text), code_points.ascii_table(".-*")))
    assert texts_of(text, trimmed) == [word.strip(".-*") for word in text.split()]


@given(TEXTS)
def test_listed_words_are_found_and_no_others(text: str) -> None:
    found = Vocabulary(LISTED).find(codes_of(text), words_of(text)).tolist()
    assert found == [LISTED.index(word) if word in LISTED else -1 for word in text.split()]


@given(TEXTS, st.integers(1, 20))
def test_each_word_is_found_once(text: str, most: int) -> None:
    found = distinct.distinct(codes_of(text), words_of(text), most)
    assert found <= set(text.split())
    assert len(found) >= min(most, len(set(text.split())))


def test_words_that_share_a_key_are_told_apart() -> None:
    word, swapped = "a", str.maketrans("ab", "ba")
    for _ in range(10):
        word += word.translate(swapped)
    text = f"{word} {word.translate(swapped)} {word}"
    assert len(set(distinct.keys(codes_of(text), words_of(text)).tolist())) == 1
    assert distinct.distinct(codes_of(text), words_of(text), 9) == set(text.split())


@given(TEXTS)
def test_equal_words_share_a_key_and_few_others_do(text: str) -> None:
    keys = distinct.keys(codes_of(text), words_of(text)).tolist()
    assert len(set(zip(text.split(), keys, strict=True))) == len(set(text.split())) == len(set(keys))
