# ruff: noqa: RUF001 - the curly quotes are meant
"""Texts of our own; the expected tokens are those of NLTK 3.10.4's word_tokenize."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.graders.english.words import word_runs, words

GOLDEN: list[tuple[str, list[str]]] = [
    ("The NASA crew can't say it's OK.", ["The", "NASA", "crew", "ca", "n't", "say", "it", "'s", "OK", "."]),
    (
        "“WAIT—STOP,” she said; 'tis 5:30, i.e. 3,000.",
        [
            "“",
            "WAIT",
            "—",
            "STOP",
            ",",
            "”",
            "she",
            "said",
            ";",
            "'",
            "tis",
            "5:30",
            ",",
            "i.e",
            ".",
            "3,000",
            ".",
        ],
    ),
    (
        "WE CANNOT; GIMME 'EM. 'Twas ROCK 'N' ROLL...",
        ["WE", "CAN", "NOT", ";", "GIM", "ME", "'", "EM", ".", "'", "Twas", "ROCK", "'N", "'", "ROLL", "..."],
    ),
    (
        'A "B" C. "D" (E) [F] {G} <H>',
        [
            "A",
            "``",
            "B",
            "''",
            "C.",
            "``",
            "D",
            "''",
            "(",
            "E",
            ")",
            "[",
            "F",
            "]",
            "{",
            "G",
            "}",
            "<",
            "H",
            ">",
        ],
    ),
    ("Mr. VALE'S BOAT. U.S. NAVY.", ["Mr.", "VALE", "'S", "BOAT", ".", "U.S.", "NAVY", "."]),
    (
        "x--Y *Z* @W #V $5 100% a&b",
        ["x", "--", "Y", "*", "Z", "*", "@", "W", "#", "V", "$", "5", "100", "%", "a", "&", "b"],
    ),
    (
        "l'ÉTÉ d'ye wanna? I'd gonna go, they'll've",
        ["l'ÉTÉ", "d", "'ye", "wan", "na", "?", "I", "'d", "gon", "na", "go", ",", "they'll", "'ve"],
    ),
    ("END.) NEXT.' ''Q'' ``R''", ["END", ".", ")", "NEXT", ".", "'", "''", "Q", "''", "``", "R", "''"]),
    ("‘Quoted’ «ICI» „DORT“", ["‘", "Quoted", "’", "«", "ICI", "»", "„", "DORT", "“"]),
    ("HY-PHEN under_score A/B", ["HY-PHEN", "under_score", "A/B"]),
    ("Ⓐ ½ É. ९", ["Ⓐ", "½", "É", ".", "९"]),
    ("'s 'S 'x 'ré", ["'s", "'S", "'", "x", "'", "ré"]),
    ("A.B. C.'\" D. '", ["A.B", ".", "C.", "'", "''", "D", ".", "'"]),
    ("cannot'tis 'twas", ["can", "not", "'t", "is", "'", "twas"]),
]


@pytest.mark.parametrize(("text", "expected"), GOLDEN)
def test_golden_tokens(text: str, expected: list[str]) -> None:
    assert list(words(text)) == expected


@given(st.text())
def test_any_text_has_tokens_without_white_space(text: str) -> None:
    assert all(word.split() == [word] for word in words(text))


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_words_are_runs_of_letters_digits_and_underscores(text: str) -> None:
    assert len(word_runs(text)) == len(re.findall(r"[A-Za-z0-9_]+", text))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("नमस्ते दुनिया", 2),
        ("cafe\u0301s", 1),
        ("½ x² ③", 1),
        ("a\u200db", 1),
        ("Ⓐ", 1),
        ("❤️", 1),
        ("日本 語", 2),
    ],
)
def test_words_beyond_ascii(text: str, expected: int) -> None:
    assert len(word_runs(text)) == expected
