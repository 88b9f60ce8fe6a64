"""Whether an answer has so many words of a kind."""

from collections.abc import Sequence
from typing import NamedTuple

from assay.engine.graders.english.sentences import FEW_CHARACTERS
from assay.engine.graders.english.token_counts import OPENING, RUN, bounds, count, rough_bounds
from assay.engine.graders.english.word_kinds import Bounds, Kind
from assay.engine.graders.instructions.answer import Answer

_NEAR_CHARACTERS = 1_000


class _Parts(NamedTuple):
    """A line, of which the middle has the same words whatever stands around the line."""

    before: str
    middle: str
    after: str


def has_words(answer: Answer, kind: Kind, wanted: int) -> bool:
    if len(answer.text) < FEW_CHARACTERS:
        decided = _decided(answer.facts(rough_bounds, kind), wanted)
        if decided is not None:
            return decided
    decided = _decided(answer.facts(bounds, kind, wanted), wanted)
    return _count(answer, kind, wanted) >= wanted if decided is None else decided


def _decided(found: Sequence[Bounds], wanted: int) -> bool | None:
    if sum(line.least for line in found) >= wanted:
        return True
    return None if sum(line.most for line in found) >= wanted else False


def _count(answer: Answer, kind: Kind, wanted: int) -> int:
    """How many of the words are of the kind, or that there are enough of them."""
    found = 0
    around, lost = "", answer.lost_before
    for number, line in enumerate(answer.lines):
        parts = line.fact(_parts)
        around += "\n" * (number > 0) + parts.before
        if parts.middle:
            found += count(around[lost:], _first_run(parts.middle), kind, wanted)
            found += line.fact(_count_middle, kind, wanted)
            around, lost = parts.after, 0
    return found + count(around[lost:], "", kind, wanted)


def _parts(text: str) -> _Parts:
    first = OPENING.search(f"\n{text[:_NEAR_CHARACTERS]}")
    last = [place.start() for place in OPENING.finditer(text, max(0, len(text) - _NEAR_CHARACTERS))]
    if first is None or not last or first.start() - 1 >= last[-1]:
        return _Parts(text, "", "")
    start, stop = first.start() - 1, last[-1]
    return _Parts(text[:start], text[start:stop], text[stop:])


def _count_middle(text: str, kind: Kind, wanted: int) -> int:
    parts = _parts(text)
    return count(parts.middle, _first_run(parts.after), kind, wanted)


def _first_run(text: str) -> str:
    run = RUN.match(text)
    return run.group() if run else ""
