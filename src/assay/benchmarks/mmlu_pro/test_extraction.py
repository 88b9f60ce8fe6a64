"""The chosen letter, against the patterns of the official scripts."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.benchmarks.mmlu_pro.extraction import chain_letter, official_letter

MEGABYTE = 1_000_000


def by_official_patterns(text: str) -> str | None:
    for pattern, flags in (
        (r"answer is \(?([A-J])\)?", 0),
        (r".*[aA]nswer:\s*([A-J])", 0),
        (r"\b([A-J])\b(?!.*\b[A-J]\b)", re.DOTALL),
    ):
        match = re.search(pattern, text, flags)
        if match:
            return match[1]
    return None


NINE_PATTERNS = (
    r"(?i)[\*\_]{0,2}Answer[\*\_]{0,2}\s*:[\s\*\_]{0,2}\s*([A-J])(?![a-zA-Z0-9])",
    r"\\boxed\{[^}]*([A-J])[^}]*\}",
    r"answer is ([a-jA-J])",
    r"answer is \(([a-jA-J])\)",
    r"([A-J])\)\s*[^A-J]*",
    r"([A-J])\s+is\s+the\s+correct\s+answer",
    r"([A-J])\s*$",
    r"([A-J])\s*\.",
    r"([A-J])\s*[^\w]",
)


def by_nine_patterns(text: str) -> str | None:
    for pattern in NINE_PATTERNS:
        found: list[str] = re.findall(pattern, text)
        if found:
            return found[-1].upper()
    return None


PIECES = (
    *"ABJKbx1.:()*_{}\n\r\t \u2028\u00e9\u0131\x1c",
    "answer", "Answer", "answer is ", "answer is (", "answer: ", "Answer:", "ANSWER :", r"\boxed{",
    " is the correct answer", "**",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=16).map("".join) | st.text(max_size=30)


@settings(max_examples=300)
@given(texts)
def test_the_letter_is_the_one_of_the_official_patterns(text: str) -> None:
    assert official_letter(text) == by_official_patterns(text)


@settings(max_examples=300)
@given(texts)
def test_the_letter_of_the_chain_is_the_one_of_the_nine_patterns(text: str) -> None:
    assert chain_letter(text) == by_nine_patterns(text)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The answer is (C).", "C"),
        ("The answer is C", "C"),
        ("First the answer is (B). No, the answer is (C).", "B"),
        ("The answer is Definitely (C)", "D"),
        ("Answer: (C)", "C"),
        ("Answer: A or Answer: B\nAnswer: C", "B"),
        ("answer: Answer: B", "B"),
        ("Answer:\n\n D", "D"),
        ("I think it is B, not C.", "C"),
        ("I'm sorry.", "I"),
        ("The answer is (K)", None),
        ("the answer is (c)", None),
        ("CAB", None),
        ("", None),
    ],
)
def test_letters_by_the_official_steps(text: str, letter: str | None) -> None:
    assert official_letter(text) == letter
