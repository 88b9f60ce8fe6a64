"""Marks that may end a sentence, by where they stand alone."""

from dataclasses import dataclass

import numpy as np

from assay.engine.graders.english.flagged import Flagged
from assay.engine.graders.english.flags import Flags, Places
from assay.engine.graders.english.passage import IS_SEPARATOR, PUNCTUATION, SPACE, Passage
from assay.engine.graders.english.rows import row_stops

_LINE_END = ord("\n")


@dataclass(frozen=True, slots=True)
class Marks:
    """Marks that may end a sentence, where their tokens start, and the next run without white space.

    That is -1 where another mark follows at once.
    """

    place: Places
    token: Places
    run: Places

    def where(self, wanted: "Flags | Places") -> "Marks":
        if wanted.dtype == np.bool_:
            if wanted.all():
                return self
            wanted = np.flatnonzero(wanted)
        return Marks(self.place[wanted], self.token[wanted], self.run[wanted])

    def following(self, passage: Passage) -> tuple[Places, Places]:
        """Where the words behind the marks start and stop, or the mark that stands there."""
        starts, stops = passage.runs
        by_mark = self.run < 0
        start = np.where(by_mark, self.place + 1, starts.places[self.run])
        return start, np.where(by_mark, self.place + 2, stops[self.run])


def possible_ends(passage: Passage) -> Marks:
    """In each token the last, and the first if the token starts with it."""
    place, next_kind = passage.end_marks
    parted = np.flatnonzero((next_kind & (PUNCTUATION | SPACE)) != 0)
    if len(parted) < len(place):
        place, next_kind = place[parted], next_kind[parted]
    starts, stops = passage.runs
    run = starts.number(place + 1)
    by_mark = (next_kind & PUNCTUATION) != 0
    # Behind the last run there is nothing that a mark could be followed by but another mark.
    last = int(np.searchsorted(run, len(stops)))
    kept: slice | Places = slice(last)
    if by_mark[last:].any():
        kept = np.append(np.arange(last), last + np.flatnonzero(by_mark[last:]))
    place, run, by_mark = place[kept], run[kept], by_mark[kept]
    token = run if passage.has_plain_spaces_only else passage.token_starts.number(place + 1)
    changes = np.ones(len(place) + 1, np.bool_)
    changes[1:-1] = token[1:] != token[:-1]
    is_last, is_outer = changes[1:], changes[1:] | changes[:-1]
    if not is_outer.all():
        outer = np.flatnonzero(is_outer)
        place, run, by_mark = place[outer], run[outer], by_mark[outer]
        token, is_last = token[outer], is_last[outer]
    token = (starts if passage.has_plain_spaces_only else passage.token_starts).places[token - 1]
    # Officially a single blank at the very start belongs to the first token.
    token[: np.searchsorted(token, 2)] = 0
    run[by_mark] = -1
    return Marks(place, token, run).where(is_last | (place == token))


def unfollowed_marks(passage: Passage, marks: Marks) -> Places:
    """Those with nothing behind them but, on another line, what is white space to Python and solid to us."""
    if not passage.has_separators:
        return np.zeros(0, np.intp)
    start, stop = marks.following(passage)
    chosen = np.flatnonzero((marks.run >= 0) & IS_SEPARATOR[passage.codes[start]])
    chosen = chosen[row_stops(passage.codes, start[chosen], stop[chosen], IS_SEPARATOR) == stop[chosen]]
    line_ends = Flagged.of(passage.codes == _LINE_END)
    return chosen[line_ends.first_from(marks.place[chosen]) < start[chosen]]
