"""All sentence ends of a long text at once, each as the rule for single ones has it.

Question and exclamation marks always end a sentence where they possibly can. So does a period, unless the
word before it is an initial, an abbreviation, a number or an ellipsis: then the word after it decides. One
context of each kind is judged for all of its kind; what fits no kind is judged by itself.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from assay.engine.graders.english.alike import alike, spelling
from assay.engine.graders.english.context_words import (
    ABBREVIATION,
    NONE,
    UNCLEAR,
    Kinds,
    kinds_of_following,
    kinds_of_words,
)
from assay.engine.graders.english.flags import Flags, Places
from assay.engine.graders.english.passage import (
    IS_PERIOD,
    IS_SINGLE,
    ODD,
    PERIOD,
    PLAIN_SPACE,
    QUOTE,
    SPACE,
    Passage,
)
from assay.engine.graders.english.possible_ends import Marks, possible_ends, unfollowed_marks
from assay.engine.graders.english.repetition import Repeats, repeats_in
from assay.engine.graders.english.rows import row_stops
from assay.engine.graders.english.sentences import has_sentence_end

_ALONE = 1 << 32
# No known word is longer.
_OUTER_REPEATS, _OUTER_CHARACTERS, _LEAST_LEFT_OUT = 4, 100, 1 / 8
_SAMPLE, _MOST_ALIKE = 2_000, 0.05


@dataclass(frozen=True, slots=True)
class Ends:
    """Where sentences stop, and where the next ones start."""

    stops: Places
    nexts: Places

    def between(self, start: int, stop: int) -> "Ends":
        """Those of marks that stand there."""
        found = slice(*np.searchsorted(self.stops - 1, (start, stop)).tolist())
        return Ends(self.stops[found], self.nexts[found])

    def moved(self, by: int) -> "Ends":
        return Ends(self.stops + by, self.nexts + by)


class EndSearch:
    """The sentence ends of a passage: first those that are certain, then as many as are judged."""

    def __init__(self, passage: Passage) -> None:
        self._passage = passage
        self._marks = marks = possible_ends(passage)
        stop = marks.following(passage)[1]
        # There is no doubt about question and exclamation marks, nor about a period that a token starts with,
        # nor where another mark around a period certainly ends a sentence.
        self._found = (passage.codes[marks.place] != PERIOD) | (marks.place == marks.token)
        unfollowed = unfollowed_marks(passage, marks)
        self._found[unfollowed] = False
        stop[unfollowed] = marks.place[unfollowed] + 1
        self._open = np.flatnonzero(~self._found)
        if self._open.size:
            is_certain = passage.certain_ends.first_from(marks.token[self._open]) < stop[self._open] - 1
            self._found[self._open] = is_certain
            self._open = self._open[np.flatnonzero(~is_certain)]
        if unfollowed.size:
            self._open = np.setdiff1d(self._open, unfollowed)
            self._found[unfollowed] |= _with_other_ends(passage, marks.where(unfollowed))

    @property
    def open_count(self) -> int:
        """Of how many marks it is not known yet."""
        return len(self._open)

    def judge(self, most: int | None = None) -> None:
        chosen, self._open = (self._open, self._open[:0]) if most is None else np.split(self._open, [most])
        if chosen.size:
            self._found[chosen] = _by_spelling(self._passage, self._marks.where(chosen))

    def ends(self) -> Ends:
        """Those found so far."""
        marks = self._marks.where(self._found)
        return Ends(marks.place + 1, marks.following(self._passage)[0])


def sentence_ends(passage: Passage) -> Ends:
    """Where a passage is repeated, they end alike in each repeat but the outermost."""
    text, found = passage.text, repeats_left_out(passage)
    if found is None:
        return _ends_of_all(passage)
    start, period, left_out = found
    ends = sentence_ends(Passage(text[:start] + text[start + left_out * period :]))
    before, after = ends.between(0, start), ends.between(start, len(text)).moved(left_out * period)
    repeated = ends.between(start - period, start)
    moves = np.arange(1, left_out + 1)[:, np.newaxis] * period
    return Ends(
        np.concatenate([before.stops, (repeated.stops + moves).ravel(), after.stops]),
        np.concatenate([before.nexts, (repeated.nexts + moves).ravel(), after.nexts]),
    )


def repeats_left_out(passage: Passage) -> Repeats | None:
    """Which part of it need not be read; None if all of it must be, as white space between sentences."""
    found = repeats_in(passage.text)
    if found is None or passage.text[found.start : found.start + found.period].isspace():
        return None
    outer = max(_OUTER_REPEATS, -(-_OUTER_CHARACTERS // found.period))
    left_out = found.times - 2 * outer
    # What is left is looked through for the next repeats, which must not go on for ever.
    if left_out * found.period < len(passage.text) * _LEAST_LEFT_OUT:
        return None
    return Repeats(found.start + outer * found.period, found.period, left_out)


def _ends_of_all(passage: Passage) -> Ends:
    search = EndSearch(passage)
    search.judge()
    return search.ends()


def _with_other_ends(passage: Passage, marks: Marks) -> Flags:
    """Whether a sentence ends within the tokens of marks that do not end one."""
    may_be = np.flatnonzero(passage.ends.first_from(marks.token) < marks.place)
    spans = zip(marks.token[may_be].tolist(), (marks.place[may_be] + 1).tolist(), strict=True)
    found = np.zeros(len(marks.place), np.bool_)
    found[may_be] = [has_sentence_end(passage.text[start:stop]) for start, stop in spans]
    return found


def _by_spelling(passage: Passage, marks: Marks) -> Flags:
    """For each mark whether it ends a sentence; of contexts that are spelt alike one is judged."""
    _, stop = marks.following(passage)
    sample = np.arange(0, len(stop), max(1, len(stop) // _SAMPLE))
    (_, beginnings, *_), _ = spelling(passage, marks.token[sample], stop[sample])
    if len(set(beginnings.tolist())) > (1 - _MOST_ALIKE) * len(sample):
        return _judged(passage, marks)
    spelt, is_whole = spelling(passage, marks.token, stop)
    own = np.arange(len(stop))
    examples = np.where(is_whole, alike(spelt), own)
    chosen = np.flatnonzero(examples == own)
    found = np.zeros(len(stop), np.bool_)
    found[chosen] = _judged(passage, marks.where(chosen))
    return found[examples]


def _judged(passage: Passage, marks: Marks) -> Flags:
    codes = passage.codes
    place = marks.place
    word = np.minimum(passage.word_starts.last_to(place), place)
    has_more = word > marks.token
    before = np.where(has_more, passage.kinds[word - 1], PLAIN_SPACE)
    is_quoted = (before & QUOTE) != 0
    opened = np.flatnonzero(IS_SINGLE[codes[word]] & ~is_quoted)
    word[opened] = row_stops(codes, word[opened], place[opened], IS_SINGLE)
    is_ellipsis = (word < place) & (codes[place - 1] == PERIOD)
    strange = (before & (SPACE | PLAIN_SPACE)) == SPACE
    strange |= passage.is_at(word, ODD) & (codes[word] != PERIOD) & ~is_quoted
    strange |= _has_run(passage, word, place, is_ellipsis=is_ellipsis)
    kind = kinds_of_words(passage, word, place)
    kind[is_ellipsis] = ABBREVIATION
    # A quote belongs to the word that it opens; only behind a hyphen that may still be an abbreviation.
    quoted = np.flatnonzero(is_quoted & ~is_ellipsis)
    kind[quoted] = np.where(kind[quoted] == ABBREVIATION, UNCLEAR, NONE)
    with_more = np.flatnonzero((kind != NONE) & has_more)
    strange[with_more] |= passage.ends.first_from(marks.token[with_more]) < word[with_more]
    kind[strange] = UNCLEAR
    found = kind == NONE
    left = np.flatnonzero(~found)
    if left.size:
        found[left] = _by_kind(passage, marks.where(left), kind[left])
    return found


def _has_run(passage: Passage, word: Places, place: Places, *, is_ellipsis: Flags) -> Flags:
    """Whether words have periods or hyphens in a row, other than in the ellipsis at their end."""
    run = passage.doubled.first_from(word)
    found = run < place
    ellipses = np.flatnonzero(is_ellipsis)
    stop = row_stops(passage.codes, run[ellipses], place[ellipses], IS_PERIOD)
    found[ellipses] = stop < place[ellipses]
    return found


def _by_kind(passage: Passage, marks: Marks, kind: Kinds) -> Flags:
    """Of words of one kind with words of one kind, or of one spelling, behind them one is judged."""
    start, stop = marks.following(passage)
    following, token_stop = kinds_of_following(passage, start, stop)
    following[(kind == UNCLEAR) | (marks.run < 0)] = UNCLEAR
    told_from = np.where(kind == UNCLEAR, marks.token, start)
    told_to = np.where(kind == UNCLEAR, stop, token_stop)
    spelt = np.flatnonzero(following == UNCLEAR)
    numbers, is_whole = spelling(passage, told_from[spelt], told_to[spelt])
    # What is too long to be told by its spelling is a kind by itself.
    alone = spelt[np.flatnonzero(~is_whole)]
    kind_of_all = kind.astype(np.uint64)
    kind_of_all[alone] = _ALONE + alone
    features = [kind_of_all, following.astype(np.uint64)]
    for number in numbers:
        features.append(np.zeros(len(kind), np.uint64))
        features[-1][spelt] = number
    examples = alike(features)
    judged = np.flatnonzero(examples == np.arange(len(kind)))
    spans = (marks.token[judged], stop[judged], told_from[judged], told_to[judged])
    kinds = zip(kind[judged].tolist(), following[judged].tolist(), strict=True)
    found = np.zeros(len(kind), np.bool_)
    found[judged] = list(map(partial(_is_end, passage), kinds, *(places.tolist() for places in spans)))
    return found[examples]


def _is_end(
    passage: Passage, kinds: tuple[int, int], token: int, stop: int, told_from: int, told_to: int
) -> bool:
    """Whether there is an end in the context, of which the kinds or the spelling tell all that matters."""
    key = (*kinds, passage.text[told_from:told_to] if kinds[1] == UNCLEAR else "")
    if key not in passage.judged:
        passage.judged[key] = has_sentence_end(passage.text[token:stop])
    return passage.judged[key]
