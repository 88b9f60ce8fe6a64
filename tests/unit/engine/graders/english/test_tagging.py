"""Texts of our own; the expected tags are those of NLTK 3.10.4's pos_tag with the same weights."""

import pytest

from assay.engine.graders.english.tagging import first_tag
from assay.engine.graders.english.words import words

GOLDEN: list[tuple[str, str]] = [
    ("Write it down.", "VB"),
    ("Writing is fun.", "VBG"),
    ("Fog falls.", "NNP"),
    ("The fog", "DT"),
    ("Run", "VB"),
    ("Consider the lilies of the field", "VB"),
    ("Is it late?", "VBZ"),
    ("Sure, here you go", "RB"),
    ("1984 was a year", "CD"),
    ("well-made boats", "JJ"),
    ("**Bold** start", "NN"),
    ("“Go,” she said", "NN"),
]


@pytest.mark.parametrize(("text", "tag"), GOLDEN)
def test_the_first_tag(text: str, tag: str) -> None:
    assert first_tag(list(words(text))[:3]) == tag


def test_no_word_has_no_tag() -> None:
    assert first_tag([]) is None
