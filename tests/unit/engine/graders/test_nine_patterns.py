"""Letters that name options are found as the public patterns find them."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.engine.graders.nine_patterns import NinePatterns

PUBLIC = [
    r"(?i)[\*\_]{0,2}Answer[\*\_]{0,2}\s*:[\s\*\_]{0,2}\s*([A-J])(?![a-zA-Z0-9])",
    r"\\boxed\{[^}]*([A-J])[^}]*\}",
    r"answer is ([a-jA-J])",
    r"answer is \(([a-jA-J])\)",
    r"([A-J])\)",
    r"([A-J])\s+is\s+the\s+correct\s+answer",
    r"([A-J])\s*$",
    r"([A-J])\s*\.",
    r"([A-J])\W",
]
PIECES = [
    *("A", "J", "K", "b", "_", "*", "1", "é", "²", " ", "\n", "\xa0", "\u3000", ".", ")", "(", ":", "\0"),
    *("\\boxed{", "{", "}", "Answer", "answer:"),
    *("AN\u017fWER: ", "\u0131", "\u212a", "answer is ", "answer is ("),
    *("B is the correct answer", " is  the\ncorrect answer"),
]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
@example("A\nJ.")
def test_the_last_match_of_the_first_pattern_that_matches_is_found(text: str) -> None:
    found = (re.findall(pattern, text, re.MULTILINE | re.DOTALL) for pattern in PUBLIC)
    expected = next((letters[-1] for letters in found if letters), None)
    assert NinePatterns("J").letter(text) == expected


def test_a_letter_at_the_end_of_a_line_is_found() -> None:
    assert NinePatterns("Z").letter("I choose A\nbecause of X.") == "A"


@pytest.mark.parametrize("count", [1, 2, 3, 500, 501])
def test_an_answer_is_that_begins_the_next_counts_from_the_first(count: int) -> None:
    text = "answer is " * count + "answer is J"
    assert NinePatterns("J").letter(text) == re.findall("answer is ([a-jA-J])", text)[-1]
