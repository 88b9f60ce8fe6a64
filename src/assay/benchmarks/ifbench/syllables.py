# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportMissingModuleSource=false
# (syllapy has no annotations)
"""Syllables as syllapy counts them, for many words at once."""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.benchmarks.ifbench.marks import Words
from assay.domain.errors import MissingExtraError
from assay.engine.graders.english.code_points import among, are_digits, ascii_table, counts_before
from assay.engine.graders.english.flags import Flags
from assay.engine.graders.english.vocabulary import Vocabulary

_IS_VOWEL = ascii_table("aeiouy")
_E, _L = map(ord, "el")


class Listed(NamedTuple):
    """The words whose syllables are listed."""

    words: Vocabulary
    are_odd: Flags


@cache
def listed() -> Listed:
    try:
        from syllapy import WORD_DICT  # noqa: PLC0415 - optional dependency
    except ImportError as error:
        raise MissingExtraError("the syllable check of IFBench", "ifbench") from error
    return Listed(Vocabulary(WORD_DICT), np.array([count % 2 == 1 for count in WORD_DICT.values()]))


def are_odd(words: Words) -> Flags:
    """Which of the words, in small letters and without marks, have an odd number of syllables."""
    codes, runs = words
    are_words_odd = _counts_by_rule(words) % 2 == 1
    numbers = listed().words.find(codes, runs)
    known = np.flatnonzero(numbers >= 0)
    are_words_odd[known] = listed().are_odd[numbers[known]]
    # What has a digit counts as none.
    digits = counts_before(are_digits(codes))
    return are_words_odd & (digits[runs.starts] == digits[runs.ends])


def _counts_by_rule(words: Words) -> NDArray[np.int32]:
    """Vowels in a row are one syllable, a last "e" is none, a last "le" after a consonant is one."""
    codes, runs = words
    are_vowels = among(codes, _IS_VOWEL)
    are_first = are_vowels.copy()
    are_first[1:] &= ~are_vowels[:-1]
    vowels = counts_before(are_first)
    counts = vowels[runs.ends] - vowels[runs.starts]
    silent = np.flatnonzero(codes[runs.ends - 1] == _E)
    ends, lengths = runs.ends[silent], runs.lengths[silent]
    are_silent = (lengths < len("-le")) | (codes[ends - 2] != _L) | are_vowels[np.maximum(ends - 3, 0)]
    counts[silent] -= are_silent
    return np.maximum(counts, 1)
