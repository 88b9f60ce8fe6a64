"""The words that the sentence splitter knows, found among the many of a text at once."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from assay.engine.graders.english.alike import fingerprints, outer_characters
from assay.engine.graders.english.flags import Places
from assay.engine.graders.english.packed import PACKED, Numbers
from assay.engine.graders.english.passage import Passage
from assay.engine.graders.english.sentences import parameters, seen_as

UNKNOWN, UNTOLD, ABBREVIATED = -1, -2, 1
_SLOT_BITS = 20


@dataclass(frozen=True, slots=True)
class _KnownWords:
    """By slot the number of a word, or that there is none or several; by number its spelling and its use."""

    slots: Places
    spelling: tuple[Numbers, Numbers, Places]
    uses: Places


def uses_of(passage: Passage, start: Places, stop: Places) -> Places:
    """How the words there are used, by which all that follow a period are judged; in any case of letters."""
    known = _known_words()
    spelt = (*outer_characters(passage, start, stop), stop - start)
    number = known.slots[fingerprints(*spelt, _SLOT_BITS)]
    use = np.minimum(number, UNKNOWN)
    hits = np.flatnonzero(number >= 0)
    number = number[hits]
    same = np.logical_and.reduce(
        [own[number] == it[hits] for own, it in zip(known.spelling, spelt, strict=True)]
    )
    use[hits] = np.where(same, known.uses[number], UNKNOWN)
    return use


@cache
def _known_words() -> _KnownWords:
    english = parameters()
    seconds = {second for _, second in english.collocations}
    words = sorted(english.casing.keys() | english.abbreviations | english.openers | seconds)
    stops = np.cumsum([len(word) for word in words])
    starts = np.concatenate(([0], stops[:-1]))
    spelt = (*outer_characters(Passage("".join(words)), starts, stops), stops - starts)
    slot = fingerprints(*spelt, _SLOT_BITS)
    slots = np.full(1 << _SLOT_BITS, UNKNOWN, np.intp)
    slots[slot] = np.arange(len(words))
    slots[slot[slots[slot] != np.arange(len(words))]] = UNTOLD
    return _KnownWords(slots, spelt, np.array([_use(word, seconds) for word in words]))


def _use(word: str, seconds: set[str]) -> int:
    # Of a longer word the characters within are not compared.
    if word in seconds or len(word) > 2 * PACKED:
        return UNTOLD
    english = parameters()
    is_abbreviated = ABBREVIATED * (word in english.abbreviations)
    return seen_as(word) << 2 | (word in english.openers) << 1 | is_abbreviated
