"""Letters that name options are found as public patterns find them."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.graders.nine_patterns import NinePatterns
from assay.engine.graders.option_letters import OptionLetters

LETTERS = OptionLetters("J")
FOUND: dict[str, tuple[Callable[[str], str | None], str]] = {
    "alone": (LETTERS.alone, r"(?<!\w)[A-J](?!\w)"),
    "ending a word": (LETTERS.ending_word, r"([A-J])\W"),
    "before a stop": (LETTERS.before_stop, r"([A-J])\s*\."),
    "boxed": (LETTERS.boxed, r"\\boxed\{[^}]*([A-J])[^}]*\}"),
}
LATIN = [
    "A",
    "J",
    "K",
    "b",
    "_",
    "1",
    "\u00e9",
    "\u00b2",
    " ",
    "\n",
    "\xa0",
    ".",
    "\\boxed{",
    "{",
    "}",
    "\0",
    "?",
]
OTHERS = [*LATIN, "\u3000", "\u2003", "\u65e5", "\u2026"]


def texts(pieces: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(pieces)).map("".join)


@pytest.mark.parametrize("name", FOUND)
@given(text=st.one_of(texts(LATIN), texts(OTHERS)))
def test_the_last_match_of_the_pattern_is_found(name: str, text: str) -> None:
    find, pattern = FOUND[name]
    assert find(text) == next(reversed(re.findall(pattern, text)), None)


@pytest.mark.parametrize("count", [1, 2, 3, 500, 501])
def test_an_answer_is_that_begins_the_next_counts_from_the_first(count: int) -> None:
    text = "answer is " * count + "answer is J"
    assert NinePatterns("J").letter(text) == re.findall("answer is ([a-jA-J])", text)[-1]
