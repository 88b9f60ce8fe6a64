"""How many words of a long text are of a kind, with words cut as `words` cuts them.

Finding where sentences end takes longest and seldom matters, so there are bounds that do without.
"""

import re
from collections.abc import Callable, Iterator

import numpy as np

from assay.engine.graders.english.bulk_sentences import BulkSentences
from assay.engine.graders.english.characters import SOLID
from assay.engine.graders.english.code_points import are_alphanumeric, codes_of
from assay.engine.graders.english.flags import Places
from assay.engine.graders.english.passage import Passage
from assay.engine.graders.english.sentence_ends import sentence_ends
from assay.engine.graders.english.sentences import FEW_CHARACTERS, sentence_spans
from assay.engine.graders.english.token_characters import LIKE_ASCII, SEPARATORS
from assay.engine.graders.english.token_cuts import Tokenizer
from assay.engine.graders.english.word_kinds import Bounds, Kind

# ruff: noqa: RUF001 - the curly quotes and dashes are meant
# The first letter or digit of a word from which on words do not depend on what comes before.
OPENING = re.compile(r"(?<=[ \n])[^\W_]")
RUN = re.compile(f"{SOLID}+")
# What is left where all marks and white space are cut out, and what the tokenizer cuts nevertheless.
_PIECE = re.compile(r"[^\s`\"',:;@#$%&?!*\[\](){}<>.«»“”‘’„‒–—―-]++")
_CUT_INSIDE = (
    "cannot",
    "d'ye",
    "gimme",
    "gonna",
    "gotta",
    "lemme",
    "more'n",
    "wanna",
    "n't",
    "'tis",
    "'twas",
)
# What stands before one of these, its halves, and what stands behind it.
_MOST_PARTS = 4
# Few at first, for there may be enough; then as many as can stay near the processor with what is computed.
_FIRST_CHARACTERS, _MOST_CHARACTERS, _GROWTH = 20_000, 250_000, 4
_NEAR_CHARACTERS = 1_000
_SEAM, _BLANK = re.compile(r"(?<=[^\W_])[ \n](?=[^\W_])"), re.compile(r"[ \n]")


def bounds(text: str, kind: Kind, enough: int) -> Bounds:
    """How many words of the kind there are, whatever stands around the text, unless there may be enough."""
    least = most = 0
    for start, stop in _blocks(text, _apart):
        found = _bounds_of_block(kind.prepared(text[start:stop]), kind)
        least, most = least + found.least, most + found.most
        # Where few are certain, the words that may be of the kind have to be counted anyway.
        if least >= enough or (most >= enough and least < most / 2):
            break
    return Bounds(least, most)


def rough_bounds(text: str, kind: Kind) -> Bounds:
    """The same, wider and for a short text faster."""
    text = kind.prepared(text)
    least = sum(1 for run in text.split() if run.isalpha() and run.isascii() and kind.holds(run))
    if any(letter in text for letter in LIKE_ASCII):
        return Bounds(least, len(text))
    parted = _MOST_PARTS * sum(map(text.lower().count, _CUT_INSIDE))
    return Bounds(least, parted + sum(map(kind.may_hold, _PIECE.findall(text))))


def count(text: str, following: str, kind: Kind, enough: int) -> int:
    """How many words of the kind there are before a run without white space, or before nothing."""
    found = 0
    for start, stop in _blocks(text, _opening):
        run = RUN.match(text, stop)
        found += _count(
            kind.prepared(text[start:stop]), kind.prepared(run.group() if run else following), kind
        )
        if found >= enough:
            break
    return found


def alphanumeric_word(text: str, number: int) -> str | None:
    """The word of this number, counted from 1, among those that have a letter or digit."""
    # Each of them has one at least.
    if np.count_nonzero(are_alphanumeric(codes_of(text))) < number:
        return None
    for start, stop in _blocks(text, _opening):
        run = RUN.match(text, stop)
        following = run.group() if run else ""
        places, characters = _alphanumeric_words(text[start:stop] + following)
        count = len(places) - len(_alphanumeric_words(following)[0])
        if number <= count:
            return characters[slice(*places[number - 1].tolist())]
        number -= count
    return None


def _alphanumeric_words(text: str) -> tuple[Places, str]:
    """Where those words start and stop that have a letter or digit, and in which text."""
    if not text or text.isspace():
        return np.zeros((0, 2), np.intp), ""
    tokens = Tokenizer(text)
    cuts = tokens.exact(*_sentence_spans(text))
    starts, ends = np.flatnonzero(tokens.starts(cuts)), np.flatnonzero(tokens.ends(cuts))
    stops = ends[np.searchsorted(ends, starts, "right")]
    letters = np.flatnonzero(tokens.letters & (tokens.plain != ord("_")))
    has_letter = np.append(letters, len(cuts))[np.searchsorted(letters, starts)] < stops
    return np.stack([starts, stops], axis=1)[np.flatnonzero(has_letter)], tokens.characters.text


def _bounds_of_block(text: str, kind: Kind) -> Bounds:
    solid = text.rstrip()
    if not solid:
        return Bounds(0, 0)
    found = kind.bounds(Tokenizer(solid))
    # Unlike other white space, separators bear on the word before them, unless they are stripped off.
    return found if SEPARATORS.isdisjoint(text[len(solid) :]) else Bounds(0, found.most)


def _count(text: str, following: str, kind: Kind) -> int:
    """The run that follows starts with a letter or digit, so its words do not depend on the text."""
    if not text or text.isspace():
        return 0
    if following:
        # It decides whether a mark ends a sentence, and nothing else.
        run = following if any(mark in text for mark in ".?!") else following[:1]
        return _count(text + run, "", kind) - _count(run, "", kind)
    starts, stops = _sentence_spans(text)
    tokens = Tokenizer(text)
    return kind.count(tokens, tokens.exact(starts, stops))


def _sentence_spans(text: str) -> tuple[Places, Places]:
    if len(text) < FEW_CHARACTERS:
        starts, stops = np.array(list(sentence_spans(text)), np.intp).T
        return starts, stops
    passage = Passage(text)
    found = BulkSentences.of(passage, sentence_ends(passage))
    return found.starts, found.stops


def _blocks(text: str, place_from: Callable[[str, int], re.Match[str] | None]) -> Iterator[tuple[int, int]]:
    start, size = 0, _FIRST_CHARACTERS
    while start + size < len(text):
        place = place_from(text, start + size)
        if place is None:
            break
        yield start, place.start()
        start, size = place.start(), min(size * _GROWTH, _MOST_CHARACTERS)
    yield start, len(text)


def _opening(text: str, start: int) -> re.Match[str] | None:
    return OPENING.search(text, _first_blank(text, start))


def _apart(text: str, start: int) -> re.Match[str] | None:
    """White space, between letters or digits if it is so somewhere near."""
    near = _SEAM.search(text, start, start + _NEAR_CHARACTERS)
    return near or _BLANK.search(text, _first_blank(text, start))


def _first_blank(text: str, start: int) -> int:
    """Where a pattern that has one need not be looked for before."""
    found = (text.find(blank, start) for blank in " \n")
    return min((place for place in found if place >= 0), default=len(text))
