"""An answer and its loose variants, as checks read them: whole, or in pieces that the variants share."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TypeVar, cast

from assay.engine.graders.english.characters import without
from assay.engine.graders.english.sentences import FEW_CHARACTERS, Judged, sentence_stream
from assay.engine.graders.english.shared_sentences import InBulk, LongLine, Sentences, early_sentences

T = TypeVar("T")

# Where two do not agree, that mostly shows early.
_EARLY_SENTENCES = 50


class Piece:
    """A stretch of an answer, with what was found in it: the next variant need not look again."""

    __slots__ = ("_found", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: dict[Hashable, object] = {}

    def fact(self, finding: Callable[..., T], *arguments: Hashable) -> T:
        key = (finding, arguments)
        if key not in self._found:
            self._found[key] = finding(self.text, *arguments)
        return cast("T", self._found[key])  # the key holds what made the value


@dataclass(frozen=True, slots=True)
class _Cut:
    """Which lines of an answer a variant has, and how much white space it lacks at its ends."""

    lines: slice
    lost_before: int = 0
    lost_after: int = 0


class Answer:
    """A text to check, and the lines that it is made of.

    Its `lines` are the first one, those between, and the last one. They still have the white space at the
    ends of the text that a variant lacks: a fact about them must not depend on it. `starred` are the same
    lines with the stars that were taken out of this variant.
    """

    __slots__ = ("_cut", "_judged", "_sentences", "lines", "starred", "text")

    def __init__(
        self, text: str, lines: tuple[Piece, ...], *, starred: tuple[Piece, ...], cut: _Cut, judged: Judged
    ) -> None:
        self.text = text
        self.lines = lines[cut.lines]
        self.starred = starred[cut.lines]
        self._cut = cut
        self._judged = judged
        self._sentences: Sentences | None = None

    @property
    def is_blank(self) -> bool:
        return not self.text or self.text.isspace()

    @property
    def lost_before(self) -> int:
        """How many characters of white space the first of its lines has and the text lacks."""
        return self._cut.lost_before

    def facts(self, finding: Callable[..., T], *arguments: Hashable) -> list[T]:
        """One for the first line, one for the lines between, one for the last."""
        return [piece.fact(finding, *arguments) for piece in self.lines]

    def facts_whatever_stars(self, finding: Callable[..., T], *arguments: Hashable) -> list[T]:
        """Of findings that stars have no bearing on."""
        return [piece.fact(finding, *arguments) for piece in self.starred]

    def joints(self, reach: int) -> Iterator[str]:
        """What stands around the ends of its `lines` but the last, so many characters either way."""
        for line, following in pairwise(self.lines):
            yield f"{line.text[-reach:]}\n{following.text[:reach]}"
        if len(self.lines) > 2 and len(self.lines[1].text) < reach:  # noqa: PLR2004 - so short that both are near
            first, between, last = (line.text for line in self.lines)
            yield f"{first[-reach:]}\n{between}\n{last[:reach]}"

    def sentences(self) -> Sentences:
        if self._sentences is None:
            self._sentences = self._found_sentences()
        return self._sentences

    def _found_sentences(self) -> Sentences:
        found = self._long_line()
        if found is None:
            return Sentences(list(sentence_stream(self.text, self._judged)))
        line, offset = found
        return line.sentences(self.text, offset)

    def may_end_in_as_many(self, mark: str, times: int, other: str) -> bool:
        """Whether so many sentences may end in a mark as so many times those in another; quickly told."""
        found = self._long_line()
        if found is None:
            return True
        line, offset = found
        return line.may_end_in_as_many(self.text, offset, mark, times, other)

    def _long_line(self) -> tuple[LongLine, int] | None:
        """The longest of its lines if it is long, and where it starts in the text."""
        longest = max(self.lines, key=lambda line: len(line.text))
        if len(longest.text) < FEW_CHARACTERS or len(longest.fact(LongLine)) < FEW_CHARACTERS:
            return None
        before = self.lines[: self.lines.index(longest)]
        offset = sum(len(line.text) + 1 for line in before) - self._cut.lost_before
        return longest.fact(LongLine), offset

    def nth_sentence(self, number: int) -> str | None:
        """Counted from 1."""
        early = next(islice(self._early_sentences(), number - 1, None), None)
        return self.sentences().nth(number) if early is None else early

    def sentence_count(self, most: int) -> int:
        """Beyond `most` they are not counted."""
        early = sum(1 for _ in islice(self._early_sentences(), most))
        return min(len(self.sentences()), most) if early < most else most

    def sentences_agree(
        self,
        value_of: Callable[[str], T],
        agree: Callable[..., bool],
        *given: Hashable,
        in_bulk: InBulk | None = None,
    ) -> bool:
        """Whether the values of any two sentences that follow one another do."""
        early = map(value_of, islice(self._early_sentences(), _EARLY_SENTENCES))
        if not all(agree(value, following, *given) for value, following in pairwise(early)):
            return False
        return self.sentences().neighbours_agree(value_of, agree, *given, in_bulk=in_bulk)

    def _early_sentences(self) -> Iterator[str]:
        """Of a long text, for which it may not be needed to find them all, unless that is done."""
        found = self._long_line()
        return iter(()) if found is None or found[0].is_read else early_sentences(self.text, self._judged)


def whole(text: str) -> Answer:
    return variants(text, loose=False)[0]


def variants(response: str, *, loose: bool = True) -> list[Answer]:
    """The answer; loosely also without its first line, its last, both, and all of these without stars."""
    judged: Judged = {}
    lines = _line_pieces(response)
    full = _Cut(slice(len(lines)))
    found = [Answer(response, lines, starred=lines, cut=full, judged=judged)]
    if not loose:
        return found
    cuts = [full, *_cuts(lines)]
    for cut in cuts[1:]:
        _add(found, Answer(_text(lines, cut), lines, starred=lines, cut=cut, judged=judged))
    if "*" not in response:
        return found
    bare = tuple(Piece(without(line.text, b"*")) if "*" in line.text else line for line in lines)
    for cut in cuts:
        _add(found, Answer(_text(bare, cut), bare, starred=lines, cut=cut, judged=judged))
    return found


def _line_pieces(text: str) -> tuple[Piece, ...]:
    first, last = text.find("\n"), text.rfind("\n")
    if first < 0:
        return (Piece(text),)
    if first == last:
        return Piece(text[:first]), Piece(text[last + 1 :])
    return Piece(text[:first]), Piece(text[first + 1 : last]), Piece(text[last + 1 :])


def _cuts(lines: tuple[Piece, ...]) -> Iterator[_Cut]:
    count = len(lines)
    for start, stop in ((1, count), (0, count - 1), (1, count - 1)):
        if start < stop:
            text = "\n".join(line.text for line in lines[start:stop])
            before = len(text) - len(text.lstrip())
            yield _Cut(
                slice(start, stop), before, len(text) - len(text.rstrip()) if before < len(text) else 0
            )


def _text(lines: tuple[Piece, ...], cut: _Cut) -> str:
    text = "\n".join(line.text for line in lines[cut.lines])
    return text[cut.lost_before : len(text) - cut.lost_after]


def _add(answers: list[Answer], answer: Answer) -> None:
    # Not by hash: of texts this long most differ in length already.
    if not any(answer.text == other.text for other in answers):
        answers.append(answer)
