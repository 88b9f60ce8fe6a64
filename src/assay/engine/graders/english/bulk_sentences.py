"""The sentences of a long text, found all at once and cut out as they are asked for."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar, cast, overload

import numpy as np

from assay.engine.graders.english.flags import Places
from assay.engine.graders.english.passage import HYPHEN, IS_CLOSER, SPACE, Passage
from assay.engine.graders.english.rows import row_stops
from assay.engine.graders.english.sentence_ends import Ends

T = TypeVar("T")

_AT_A_TIME = 10_000


class BulkSentences(Sequence[str]):
    """The sentences of a text, cut out as they are asked for."""

    def __init__(self, passage: Passage, starts: Places, stops: Places) -> None:
        self.starts = starts
        self.passage = passage
        self.stops = stops
        self._found: dict[Hashable, object] = {}

    @classmethod
    def of(cls, passage: Passage, ends: Ends) -> "BulkSentences":
        return cls(passage, *_spans(passage, ends))

    def part(self, start: int, stop: int) -> "BulkSentences":
        return BulkSentences(self.passage, self.starts[start:stop], self.stops[start:stop])

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        text = self.passage.text
        if isinstance(index, int):
            return text[self.starts[index] : self.stops[index]]
        spans = zip(self.starts[index].tolist(), self.stops[index].tolist(), strict=True)
        return [text[start:stop] for start, stop in spans]

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), _AT_A_TIME):
            yield from self[first : first + _AT_A_TIME]

    def fact(self, finding: Callable[..., T], *arguments: Hashable) -> T:
        """What is found in them, kept for the next who asks."""
        key = (finding, arguments)
        if key not in self._found:
            self._found[key] = finding(self, *arguments)
        return cast("T", self._found[key])  # the key holds what made the value

    def last_characters(self) -> Counter[str]:
        filled = self.stops[np.flatnonzero(self.starts < self.stops)]
        counts = np.bincount(self.passage.codes[filled - 1])
        return Counter({chr(code): int(counts[code]) for code in np.flatnonzero(counts).tolist()})


def _spans(passage: Passage, ends: Ends) -> tuple[Places, Places]:
    """Where sentences start and stop, closing quotes and brackets given back to those they close."""
    starts = np.concatenate(([0], ends.nexts))
    stops = np.append(ends.stops, len(passage.text.rstrip()))
    given_back, closed = _closers(passage, starts, stops)
    starts[1:] += given_back[1:]
    is_closed = np.append(given_back[1:] > 0, [False])
    stops = np.where(is_closed, np.append(closed[1:], 0), stops)
    kept = np.flatnonzero(is_closed | (starts < stops))
    return (starts[kept], stops[kept]) if len(kept) < len(starts) else (starts, stops)


def _closers(passage: Passage, starts: Places, stops: Places) -> tuple[Places, Places]:
    """How much of each sentence's start belongs to the one before it, and where its closers end."""
    given_back, closed = np.zeros(len(starts), np.intp), np.zeros(len(starts), np.intp)
    inside = np.flatnonzero(starts < stops)
    inside = inside[IS_CLOSER[passage.codes[starts[inside]]]]
    if not inside.size:
        return given_back, closed
    start, stop = starts[inside], stops[inside]
    closed_at = row_stops(passage.codes, start, stop, IS_CLOSER)
    followed = np.minimum(closed_at, len(passage.text) - 1)
    next_run = np.minimum(passage.runs[0].first_from(closed_at), stop)
    next_solid = np.where(passage.is_at(followed, SPACE), next_run, closed_at)
    dashed = (passage.codes[followed] == HYPHEN) & (closed_at + 1 < stop)
    dashed[dashed] = passage.codes[closed_at[dashed] + 1] == HYPHEN
    belongs = (closed_at == stop) | (next_solid > closed_at) | dashed
    inside = inside[belongs]
    given_back[inside] = (next_solid - start)[belongs]
    closed[inside] = closed_at[belongs]
    return given_back, closed
