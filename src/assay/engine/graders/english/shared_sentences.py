"""The sentences of texts that have a long line in common, which is read once."""

import string
from collections import Counter, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, repeat, tee
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from assay.engine.graders.english.bulk_sentences import BulkSentences
from assay.engine.graders.english.flags import Places
from assay.engine.graders.english.passage import PLAIN_SPACE, Passage
from assay.engine.graders.english.sentence_ends import Ends, EndSearch, repeats_left_out, sentence_ends
from assay.engine.graders.english.sentences import FEW_CHARACTERS, Judged, sentence_spans, sentence_stream

T = TypeVar("T")
InBulk: TypeAlias = Callable[[BulkSentences], bool | None]

# How much is read of a text first, and then, before all of it is.
_FIRST_CHARACTERS, _MORE_CHARACTERS = 1_500, 15_000
# So many sentences at the ends of a line may depend on the lines around it; fewer do.
_MARGIN = 4
# So many marks in the first and the last token of a line, and around its last sentence, may.
_DEPENDENT_ENDS = 8
_JUDGED_FIRST = 4_000
# A single blank at the very start of a text is not parted from what follows it.
_UNPARTED = 1


@dataclass(frozen=True, slots=True)
class Sentences:
    """Those of a text: the first, then those that other texts have as well, then the last."""

    first: Sequence[str]
    shared: BulkSentences | None = None
    last: Sequence[str] = ()

    def __len__(self) -> int:
        return len(self.first) + len(self.shared or ()) + len(self.last)

    def __iter__(self) -> Iterator[str]:
        return chain(self.first, self.shared or (), self.last)

    def nth(self, number: int) -> str | None:
        """Counted from 1."""
        index = number - 1
        for part in (self.first, self.shared or (), self.last):
            if 0 <= index < len(part):
                return part[index]
            index -= len(part)
        return None

    def last_characters(self) -> Counter[str]:
        shared = self.shared.fact(BulkSentences.last_characters) if self.shared else Counter[str]()
        return shared + Counter(sentence[-1] for sentence in chain(self.first, self.last) if sentence)

    def neighbours_agree(
        self,
        value_of: Callable[[str], T],
        agree: Callable[..., bool],
        *given: Hashable,
        in_bulk: InBulk | None = None,
    ) -> bool:
        """Whether the values of any two that follow one another do; of many, `in_bulk` may know it faster."""
        before, after = list(map(value_of, self.first)), list(map(value_of, self.last))
        if self.shared is None:
            return _all_agree(before, agree, given)
        before.append(value_of(self.shared[0]))
        after.insert(0, value_of(self.shared[-1]))
        if not _all_agree(before, agree, given) or not _all_agree(after, agree, given):
            return False
        told = self.shared.fact(in_bulk) if in_bulk else None
        return self.shared.fact(_agreement, value_of, agree, given) if told is None else told


def sentences_of(text: str) -> Sequence[str]:
    if len(text) < FEW_CHARACTERS:
        return list(sentence_stream(text, {}))
    passage = Passage(text)
    return BulkSentences.of(passage, sentence_ends(passage))


def early_sentences(text: str, judged: Judged) -> Iterator[str]:
    """The first of a long text: those that do not depend on what is left unread."""
    count = 0
    for sentence in _but_last(sentence_stream(text[:_FIRST_CHARACTERS], judged)):
        count += 1
        yield sentence
    yield from islice(_but_last(sentences_of(text[:_MORE_CHARACTERS])), count, None)


def _but_last(sentences: Iterable[str]) -> Iterator[str]:
    following = iter(sentences)
    waiting = deque(islice(following, _MARGIN))
    for sentence in following:
        waiting.append(sentence)
        yield waiting.popleft()


def _sentences_before(text: str, stop: int) -> Sequence[str]:
    """Those that start before there."""
    if len(text) < FEW_CHARACTERS:
        return [text[slice(*span)] for span in sentence_spans(text) if span[0] < stop]
    passage = Passage(text)
    found = BulkSentences.of(passage, sentence_ends(passage))
    return found.part(0, int(np.searchsorted(found.starts, stop)))


class _EndCounts(NamedTuple):
    """How many sentences of a line end in each mark at least, and how many more may end in a period."""

    counts: Counter[str]
    left_open: int

    def may_be_as_many(self, mark: str, times: int, other: str, slack: int) -> bool:
        least, others_least = (self.counts[one] - slack for one in (mark, other))
        most, others_most = (
            self.counts[one] + slack + self.left_open * (one == ".") for one in (mark, other)
        )
        return times * others_least <= most and least <= times * others_most


class LongLine:
    """A line of many characters, whose sentences are found once for all texts that have it."""

    def __init__(self, text: str) -> None:
        self._passage = Passage(text.strip())
        self._lead = len(text) - len(text.lstrip())
        self._after: dict[str, Ends] = {}

    def __len__(self) -> int:
        """Without white space at its ends, which a text may lack."""
        return len(self._passage.text)

    @property
    def is_read(self) -> bool:
        """Whether its sentences are found."""
        return "_shared" in vars(self)

    def sentences(self, text: str, offset: int) -> Sentences:
        """Those of a text that has the line there, though it may lack white space at the ends of it."""
        offset += self._lead
        if self._shared is None:
            return Sentences(BulkSentences.of(Passage(text), self._ends_in(text, offset)))
        start, read, stop, shared = self._shared
        first = _sentences_before(text[: offset + read], offset + start)
        return Sentences(first, shared, sentences_of(text[offset + stop :]))

    def may_end_in_as_many(self, text: str, offset: int, mark: str, times: int, other: str) -> bool:
        """Whether so many sentences of such a text may end in a mark as so many times those in another."""
        if self._is_repetitive:
            return True
        offset += self._lead
        outside = f"{text[: max(0, offset)]}{text[offset + len(self._passage.text) :]}"
        asked = (mark, times, other, _DEPENDENT_ENDS + sum(map(outside.count, ".?!")))
        return self._certain_ends.may_be_as_many(*asked) and self._early_ends.may_be_as_many(*asked)

    @cached_property
    def _certain_ends(self) -> _EndCounts:
        return self._counts_so_far()

    @cached_property
    def _early_ends(self) -> _EndCounts:
        """Those that are certain, and of the others the first."""
        self._search.judge(_JUDGED_FIRST)
        return self._counts_so_far()

    def _counts_so_far(self) -> _EndCounts:
        found = BulkSentences.of(self._passage, self._search.ends())
        return _EndCounts(found.last_characters(), self._search.open_count)

    @cached_property
    def _is_repetitive(self) -> bool:
        return repeats_left_out(self._passage) is not None

    @cached_property
    def _search(self) -> EndSearch:
        return EndSearch(self._passage)

    @cached_property
    def _ends(self) -> Ends:
        if self._is_repetitive:
            return sentence_ends(self._passage)
        self._search.judge()
        return self._search.ends()

    @cached_property
    def _shared(self) -> tuple[int, int, int, BulkSentences] | None:
        """Where those shared start, how far is read to tell, where they stop, and they themselves."""
        found = BulkSentences.of(self._passage, self._ends)
        apart = np.flatnonzero(self._passage.is_at(found.starts - 1, PLAIN_SPACE))[_MARGIN:-_MARGIN]
        if len(apart) < _MARGIN:
            return None
        start, stop = found.starts[apart[[0, -1]]]
        read = self._tokens[np.searchsorted(self._tokens, start, "right")]
        return int(start), int(read), int(stop), found.part(int(apart[0]), int(apart[-1]))

    @cached_property
    def _tokens(self) -> Places:
        """Where they start."""
        starts = self._passage.runs[0].places[:-1]
        return starts[self._passage.is_at(starts - 1, PLAIN_SPACE) | (starts == starts[:1])]

    def _ends_in(self, text: str, offset: int) -> Ends:
        """Where the sentences of the text end: inside the line as they do in the line alone."""
        if text == self._passage.text:
            return self._ends
        tokens = self._tokens
        # What possibly ends a sentence in the last token depends on what follows.
        is_parted = not offset or text[offset - 1] in string.whitespace
        first, last = int(not is_parted or offset == _UNPARTED), len(tokens) - 1
        if last < first:
            return sentence_ends(Passage(text))
        start, stop = offset + int(tokens[first]), offset + int(tokens[last])
        # What comes before a token is judged by it as well.
        read = offset + int(tokens[first + 1]) if first < last else len(text)
        before = _ends_before(text[:read], start)
        within = self._ends.moved(offset).between(start, stop)
        after = self._ends_after(text[stop:]).moved(stop)
        return Ends(
            np.concatenate([before.stops, within.stops, after.stops]),
            np.concatenate([before.nexts, within.nexts, after.nexts]),
        )

    def _ends_after(self, text: str) -> Ends:
        """Several texts end alike."""
        if text not in self._after:
            self._after[text] = sentence_ends(Passage(text))
        return self._after[text]


def _ends_before(text: str, stop: int) -> Ends:
    if not any(mark in text[:stop] for mark in ".?!"):
        nowhere = np.zeros(0, np.intp)
        return Ends(nowhere, nowhere)
    return sentence_ends(Passage(text)).between(0, stop)


def _agreement(
    sentences: Iterable[str],
    value_of: Callable[[str], T],
    agree: Callable[..., bool],
    given: tuple[Hashable, ...],
) -> bool:
    return _all_agree(map(value_of, sentences), agree, given)


def _all_agree(values: Iterable[T], agree: Callable[..., bool], given: tuple[Hashable, ...]) -> bool:
    one, other = tee(values)
    next(other, None)
    return all(map(agree, one, other, *map(repeat, given)))
