"""Single words of a text are found without cutting all of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.engine.graders.english import token_counts
from assay.engine.graders.english.token_counts import alphanumeric_word
from assay.engine.graders.english.words import closing_words, leading_words, words

MARKS = [*"aAb1.?!'\",()*-\n_", " ", ". ", "…", "é", "--", "''"]
WORDS = ["a b", "Mr. ", "U.S. ", "cannot", "gonNA", "don't ", "'TIS", "it"]
UNBROKEN = st.lists(st.sampled_from([*"aA1.?!'\",()*-;"]), min_size=1, max_size=25).map("".join)
TEXTS = st.lists(st.sampled_from(MARKS + WORDS), max_size=25).map("".join)


@settings(deadline=None, max_examples=50)
@given(TEXTS.map(lambda text: text * 100))
def test_the_first_and_the_last_are_those_of_all(text: str) -> None:
    found = words(text)
    assert leading_words(text, 3) == found[:3]
    assert closing_words(text, 3) == found[-3:]


@settings(deadline=None, max_examples=50)
@given(
    st.sampled_from(["", "it ", "a - b\n", "Go. It is ", "the cat's\t", "Sure.*\n", "Mr.\n", "No? "]),
    UNBROKEN,
)
def test_the_first_before_and_in_a_long_run_are_those_of_all(before: str, run: str) -> None:
    text = before + run * 300
    assert leading_words(text, 3) == words(text)[:3]


@pytest.mark.parametrize("block", [1, 20, 20_000])
@settings(deadline=None, max_examples=100)
@given(TEXTS)
def test_those_with_a_letter_or_digit_are_counted(block: int, text: str) -> None:
    found = [word for word in words(text) if any(map(str.isalnum, word))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(token_counts, "_FIRST_CHARACTERS", block)
        assert [alphanumeric_word(text, number) for number in range(1, len(found) + 2)] == [*found, None]
