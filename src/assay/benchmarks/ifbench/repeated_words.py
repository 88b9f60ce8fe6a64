"""How often the words of a text occur, told without making a text of each."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.benchmarks.ifbench.marks import Words, bare_lower_words_by_block
from assay.engine.graders.english.code_points import text_of
from assay.engine.graders.english.distinct import keys
from assay.engine.graders.english.packed import Numbers


class Counted(NamedTuple):
    """The words of a part, keys that equal ones share, and whether one occurs too often already."""

    words: list[Words]
    keys: Numbers
    is_too_often: bool


def counted(text: str, most: int) -> Counted:
    words = list(bare_lower_words_by_block(text))
    all_keys = np.concatenate([keys(codes, runs) for codes, runs in words])
    counted = Counted(words, all_keys, is_too_often=False)
    return counted._replace(is_too_often=is_one_too_often([counted], most))


def is_one_too_often(parts: Sequence[Counted], most: int) -> bool:
    """Whether a word occurs more often than so many times."""
    ordered = np.sort(np.concatenate([part.keys for part in parts]))
    are_too_often = ordered[most:] == ordered[: max(0, len(ordered) - most)]
    if not are_too_often.any():
        return False
    words = [word for part in parts for word in _with_key(part, ordered[most:][are_too_often][0], most + 1)]
    if len(set(words[: most + 1])) == 1:
        return True
    # Different words that share a key.
    counts = Counter(word for part in parts for block in part.words for word in text_of(block.codes).split())
    return max(counts.values()) > most


def _with_key(part: Counted, key: np.uint64, most: int) -> list[str]:
    numbers = np.flatnonzero(part.keys == key)[:most].tolist()
    found: list[str] = []
    for block in part.words:
        count = len(block.runs.starts)
        found += [block.text(number) for number in numbers if 0 <= number < count]
        numbers = [number - count for number in numbers]
    return found
